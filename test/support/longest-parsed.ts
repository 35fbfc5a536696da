/** The length of the longest text that `JSON.parse` gets in this thread meanwhile. */
export async function longestParsed(work: () => unknown): Promise<number> {
  const { parse } = JSON;
  let longest = 0;
  JSON.parse = (text: string, ...more) => {
    longest = Math.max(longest, text.length);
    return parse(text, ...more) as unknown;
  };
  try {
    await work();
  } finally {
    JSON.parse = parse;
  }
  return longest;
}
