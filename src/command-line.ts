// What the programs of the command line have in common: `--help`, and errors as one sentence.

export interface Program {
  /** What `--help` prints. */
  readonly usage: string;
  /** The exit code for an error. */
  readonly failed?: number;
  /** Gets the arguments. */
  readonly run: (words: readonly string[]) => Promise<void>;
}

/** Runs the program with the arguments of the process. */
export async function runProgram({ usage, failed = 1, run }: Program): Promise<void> {
  const words = process.argv.slice(2);
  if (words.includes('--help')) return console.log(usage);
  try {
    await run(words);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = failed;
  }
}

/** @throws Error for an argument of a program that takes none, which usually is meant as the data directory */
export function refuseArguments([word]: readonly string[]): void {
  if (word !== undefined)
    throw new Error(
      `unexpected argument ${JSON.stringify(word)}: settings are environment variables, such as EVALSTORE_DATA_DIR`,
    );
}
