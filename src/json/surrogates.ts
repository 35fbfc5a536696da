// JSON text with unpaired surrogates (truncated model output has them) -> the same text with U+FFFD
// in their place, raw or escaped, in keys and strings.

const surrogateEscape = /\\u[dD][89a-fA-F]/;

// Every escape is matched, so that the second character of `\\` is never taken for the start of one.
const escapes =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[^])/g;

/** Every string of Node.js 20 has these; the ES2023 library does not declare them yet. */
interface WellFormed {
  toWellFormed(): string;
}

/** Text without unpaired surrogates comes back as it is. */
export function replaceUnpairedSurrogates(text: string): string {
  const wellFormed = (text as unknown as WellFormed).toWellFormed();
  if (!mayEscapeSurrogates(wellFormed) || !surrogateEscape.test(wellFormed)) return wellFormed;
  return wellFormed.replaceAll(escapes, (escape, unpaired?: string) =>
    unpaired === undefined ? escape : String.raw`\ufffd`,
  );
}

// A tenth of the time of the expression, which few texts need.
const mayEscapeSurrogates = (text: string): boolean =>
  text.includes(String.raw`\ud`) || text.includes(String.raw`\uD`);
