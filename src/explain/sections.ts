// Formats the output of `npm run explain`.

/** A line with the title, and the content below it. */
export const section = (title: string, content: string): string => `${title}\n${content}\n\n`;

/** A value as JSON, without source positions. */
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
