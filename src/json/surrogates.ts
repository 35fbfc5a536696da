// Replaces unpaired surrogates in JSON text, raw or escaped, by U+FFFD. Truncated model output has them.

const surrogateEscape = /\\u[dD][89a-fA-F]/;

// Matches every escape, so that the second character of `\\` never counts as the start of one. Takes many short ones at once, since
// each match costs a call.
const escapes =
  /(?:\\[^u]){1,1000}|\\u(?:[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|([dD][89a-fA-F][\da-fA-F]{2}))?/g;

/** Methods of strings since Node.js 20 that the ES2023 library does not declare. */
interface WellFormed {
  toWellFormed(): string;
}

/** Returns text without unpaired surrogates unchanged. */
export function replaceUnpairedSurrogates(text: string): string {
  const wellFormed = (text as unknown as WellFormed).toWellFormed();
  if (!mayEscapeSurrogates(wellFormed) || !surrogateEscape.test(wellFormed)) return wellFormed;
  return wellFormed.replaceAll(escapes, (escape, unpaired?: string) =>
    unpaired === undefined ? escape : String.raw`\ufffd`,
  );
}

// Takes a tenth of the time of the pattern, which few texts need.
const mayEscapeSurrogates = (text: string): boolean =>
  text.includes(String.raw`\ud`) || text.includes(String.raw`\uD`);
