// Runs the jobs that remove events for good, one after the other. A job that a stop or a crash interrupts goes on at the next start.
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Catalog } from '../catalog/catalog.js';
import type { JobRecord, JobRecords, NewJob } from '../catalog/jobs.js';
import { RequestError } from '../errors.js';
import { jobKinds, type JobKind, type Removed } from '../schema/removal.js';
import type { EventStore } from '../store/event-store.js';

/** What a job needs. */
export interface RemovalParts {
  readonly records: JobRecords;
  readonly catalog: Catalog;
  readonly store: Pick<EventStore, 'remove'>;
  /** Removes the attachments that only the events of the file name. Can run again after a crash. */
  readonly releaseAttachments: (events: string) => Promise<void>;
  /** Removes answers that are kept for later reads. */
  readonly forgetAnswers: () => Promise<void>;
  readonly log: Logger;
}

const lostList =
  'the list of the events is missing, as in a directory that a backup restored: ask for the removal again';

const unexpected = 'an unexpected error, which the log of the server has';

type Times = { [K in JobKind]: { rows: number; bytes: number; failedAt: number } };

export class RemovalJobs {
  readonly #parts: RemovalParts;
  readonly #closing = new AbortController();
  #running = Promise.resolve();
  /** Since the start. `failedAt`: milliseconds since 1970, 0 if none failed. */
  readonly times = Object.fromEntries(
    jobKinds.map((kind) => [kind, { rows: 0, bytes: 0, failedAt: 0 }]),
  ) as Times;

  private constructor(parts: RemovalParts) {
    this.#parts = parts;
  }

  /** Goes on with the jobs that an earlier process did not end. */
  static async open(parts: RemovalParts): Promise<RemovalJobs> {
    const jobs = new RemovalJobs(parts);
    for (const { id } of await parts.records.running()) jobs.#enqueue(id, true);
    return jobs;
  }

  get records(): JobRecords {
    return this.#parts.records;
  }

  /** Aborts when the server stops. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Starts a job whose file is written. When it resolves, the job is on disk. */
  async start(job: NewJob): Promise<void> {
    await this.records.begin(job);
    this.#enqueue(job.id, false);
  }

  /** Interrupts the running job, which goes on at the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  #enqueue(id: string, isResumed: boolean): void {
    this.#running = this.#running.then(() => this.#run(id, isResumed));
  }

  async #run(id: string, isResumed: boolean): Promise<void> {
    const { log } = this.#parts;
    await setImmediate();
    if (this.#closing.signal.aborted) return;
    try {
      const job = await this.records.find(id);
      if (job?.state === 'running') await this.#runRecorded(job, isResumed);
    } catch (error) {
      // The record stays as it was, so the job goes on at the next start.
      if (!this.#closing.signal.aborted)
        log.error({ err: error, job: id }, 'the end of a job that removes events is not recorded');
    }
  }

  async #runRecorded(job: JobRecord, isResumed: boolean): Promise<void> {
    const { id, kind, projectId } = job;
    const { signal } = this.#closing;
    try {
      if (!(await this.records.hasFile(id))) throw new RequestError(400, lostList);
      const file = this.records.fileOf(id);
      const removed = await this.#parts.store.remove(projectId, file, signal);
      await this.#parts.releaseAttachments(file);
      await this.#parts.forgetAnswers();
      // What was removed before a restart is in the estimate alone.
      const all = isResumed ? larger(job, removed) : removed;
      this.times[kind].rows += removed.rows;
      this.times[kind].bytes += removed.bytes;
      await this.records.end({ id, ...all, error: null }, [this.#entryOf(job, all)]);
    } catch (error) {
      if (signal.aborted) throw error;
      this.times[kind].failedAt = Date.now();
      this.#parts.log.error({ err: error, job: id, kind }, 'a job that removes events failed');
      const reason = error instanceof RequestError ? error.message : unexpected;
      await this.records.end({ id, rows: 0, bytes: 0, error: reason });
    }
  }

  /** The row of the audit log: without content, neither ids of events nor a condition. */
  #entryOf({ id, kind, objectId, by }: JobRecord, { rows }: Removed) {
    const { catalog } = this.#parts;
    const header = catalog.header(objectId)!;
    const name = `${header.name}: ${rows} row versions, job ${id}`;
    return catalog.audit.entry({ ...header, name }, kind, by);
  }
}

const larger = (one: Removed, other: Removed): Removed => ({
  rows: Math.max(one.rows, other.rows),
  bytes: Math.max(one.bytes, other.bytes),
});
