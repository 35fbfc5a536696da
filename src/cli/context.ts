// What the commands share: the environment, where they print, and the two ways to end badly.

export interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Prints a line to standard output. */
  readonly print: (line: string) => void;
  /** Prints a line to standard error. */
  readonly note: (line: string) => void;
  /** Where progress is shown: standard error; on anything but a terminal there is none. */
  readonly terminal: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** The command was used wrongly: exit code 2. Any other error means exit code 1. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
