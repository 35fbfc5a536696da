// The text that `npm run explain` prints: titles, each with its content.

/** A title on a line of its own, the content below it. */
export const section = (title: string, content: string): string => `${title}\n${content}\n\n`;

/** A value as JSON, without places in the text of the query. */
export const printed = (value: unknown): string =>
  JSON.stringify(
    value,
    (key, part: unknown) => {
      if (key === 'at') return undefined;
      if (typeof part === 'bigint') return part.toString();
      return part instanceof Map ? Object.fromEntries(part) : part;
    },
    2,
  );
