// Replaces unpaired surrogates in JSON text, raw or escaped, by U+FFFD. Truncated model output has them.

/** Methods of strings since Node.js 20 that the ES2023 library does not declare. */
interface WellFormed {
  toWellFormed(): string;
}

/** Returns text without unpaired surrogates unchanged. */
export function replaceUnpairedSurrogates(text: string): string {
  const wellFormed = (text as unknown as WellFormed).toWellFormed();
  return mayEscapeSurrogates(wellFormed) ? withReplacements(wellFormed) : wellFormed;
}

// Takes a tenth of the time of the walk, which few texts need.
const mayEscapeSurrogates = (text: string): boolean =>
  text.includes(String.raw`\ud`) || text.includes(String.raw`\uD`);

const [backslash, letterU] = [0x5c, 0x75];

const replacement = Uint16Array.from(String.raw`\ufffd`, (letter) => letter.charCodeAt(0));

const escapeLength = 6;

/** The code unit that the escape at `at` spells; NaN for one that is not valid. */
const escapedUnit = (units: Uint16Array, at: number): number =>
  hexDigit(units[at + 2]) * 4096 +
  hexDigit(units[at + 3]) * 256 +
  hexDigit(units[at + 4]) * 16 +
  hexDigit(units[at + 5]);

function hexDigit(code = Number.NaN): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

const isUnicodeEscape = (units: Uint16Array, at: number): boolean =>
  units[at] === backslash && units[at + 1] === letterU;

/** Replaces escapes in place, since the replacement is as long: a call for each of millions would hold the event loop for seconds. */
function withReplacements(text: string): string {
  const bytes = Buffer.from(text, 'utf16le');
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
  let isChanged = false;
  let at = units.indexOf(backslash);
  while (at !== -1 && at < units.length) {
    if (units[at] !== backslash) at = units.indexOf(backslash, at);
    else if (units[at + 1] !== letterU) at += 2;
    else {
      const unit = escapedUnit(units, at);
      const next = at + escapeLength;
      const isPair =
        isHigh(unit) && isUnicodeEscape(units, next) && isLow(escapedUnit(units, next));
      if (!isPair && (isHigh(unit) || isLow(unit))) {
        units.set(replacement, at);
        isChanged = true;
      }
      at += isPair ? 2 * escapeLength : Number.isNaN(unit) ? 2 : escapeLength;
    }
  }
  return isChanged ? bytes.toString('utf16le') : text;
}
