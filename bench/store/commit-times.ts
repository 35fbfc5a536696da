// How long the commits of a server took, by its own log.

/** With it the server logs a line for each commit. */
export const loggingCommits = { EVALSTORE_LOG_LEVEL: 'debug' };

interface CommitLine {
  readonly msg?: string;
  readonly milliseconds?: number;
}

export class CommitTimes {
  readonly #milliseconds: number[] = [];

  readonly take = (line: string): void => {
    const { msg, milliseconds } = JSON.parse(line) as CommitLine;
    if (msg === 'commit' && milliseconds !== undefined) this.#milliseconds.push(milliseconds);
  };

  get milliseconds(): readonly number[] {
    return this.#milliseconds;
  }
}
