// The open files of this process, whose number the operating system limits. Connections, the files of requests and those of reads are
// counted: above the limit they wait or are refused, because the engine ends the process if one of its threads cannot open a file.
import { unavailable } from './errors.js';

/** The fewest open files with which the server starts. */
const openFilesMin = 128;

/** Files that are not counted: of the databases, the log, threads, maintenance and lookups. */
const reserved = 80;

/** The part of the other files that one merge of segments may read. */
const mergePart = 1 / 8;

/** The part of the counted files that connections and their requests may have. */
const connectionPart = 1 / 2;

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
}

/** The number of files that this process may open, which Node.js has raised as far as it may; Infinity if there is no limit. */
function openFilesLimit(): number {
  // Otherwise, the report looks up the names of all connected addresses.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as Report;
  const limit = Number(userLimits?.open_files?.soft);
  return limit > 0 ? limit : Infinity;
}

interface Waiter {
  readonly count: number;
  readonly begin: () => void;
}

export class OpenFiles {
  /** The number of segments that one merge reads at most. */
  readonly mergedMax: number;
  /** The number of connections and running requests. */
  readonly connectionsMax: number;
  readonly #max: number;
  readonly #waitMsMax: number;
  #open = 0;
  /** Oldest first. */
  readonly #waiting: Waiter[] = [];

  /**
   * @param limit of the operating system
   * @param waitMsMax the longest wait of a read for files that others have open, in milliseconds
   */
  constructor(limit: number, waitMsMax = 10_000) {
    this.#waitMsMax = waitMsMax;
    const left = Math.max(0, limit - reserved);
    this.mergedMax = Math.floor(left * mergePart);
    this.#max = Math.floor(left * (1 - mergePart));
    this.connectionsMax = Math.floor(this.#max * connectionPart);
  }

  /** Counts a connection or a request. The caller observes `connectionsMax`. */
  add(): void {
    this.#open += 1;
  }

  /**
   * Counts the files of a read. While too many are open, waits for others to be closed.
   * @throws RequestError 503 if there are still too many, or always would be
   */
  async take(count: number): Promise<void> {
    if (count > this.#max)
      throw unavailable(
        `the query reads up to ${count} files at once, and the server may open ${this.#max}: query fewer objects, or raise the limit on open files (ulimit -n)`,
      );
    if (this.#waiting.length > 0 || this.#open + count > this.#max) await this.#turn(count);
    else this.#open += count;
  }

  remove(count = 1): void {
    this.#open -= count;
    this.#next();
  }

  #turn(count: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = { count, begin: () => (clearTimeout(timer), resolve()) };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(unavailable('the server has too many open files: try again later'));
        this.#next();
      };
      const timer = setTimeout(giveUp, this.#waitMsMax);
      this.#waiting.push(waiter);
    });
  }

  #next(): void {
    let next = this.#waiting[0];
    while (next !== undefined && this.#open + next.count <= this.#max) {
      this.#waiting.shift();
      this.#open += next.count;
      next.begin();
      next = this.#waiting[0];
    }
  }
}

const limit = openFilesLimit();

/** Those of this process. */
export const openFiles = new OpenFiles(limit);

/** @throws Error if the process may open too few files for a server */
export function refuseFewFiles(): void {
  if (limit < openFilesMin)
    throw new Error(
      `the limit on open files is ${limit}, and the server needs ${openFilesMin}: raise it with ulimit -n`,
    );
}
