// How long flushes, merges, purges and removals took since the start, and which failed.
export const maintenanceTasks = ['flush', 'merge', 'purge', 'removal'] as const;

export type MaintenanceTask = (typeof maintenanceTasks)[number];

export interface TaskTimes {
  readonly runs: number;
  /** Of all runs together. */
  readonly seconds: number;
  readonly lastSeconds: number;
  readonly failures: number;
  /** In milliseconds since 1970; null if none failed. */
  readonly failedAt: number | null;
  /** When the last run that succeeded ended; null if none did. */
  readonly succeededAt: number | null;
  /** Whether the last run failed. */
  readonly isFailing: boolean;
}

const none: TaskTimes = {
  runs: 0,
  seconds: 0,
  lastSeconds: 0,
  failures: 0,
  failedAt: null,
  succeededAt: null,
  isFailing: false,
};

export class WorkTimes {
  readonly #times: Record<MaintenanceTask, TaskTimes> = {
    flush: none,
    merge: none,
    purge: none,
    removal: none,
  };

  get current(): Readonly<Record<MaintenanceTask, TaskTimes>> {
    return { ...this.#times };
  }

  /** Runs the work. A failure counts unless `isClosed`, since a stop interrupts work. */
  async measure<T>(
    task: MaintenanceTask,
    work: () => Promise<T>,
    isClosed: () => boolean,
  ): Promise<T> {
    const started = performance.now();
    try {
      const result = await work();
      this.#add(task, started, false);
      return result;
    } catch (error) {
      if (!isClosed()) this.#add(task, started, true);
      throw error;
    }
  }

  #add(task: MaintenanceTask, started: number, isFailing: boolean): void {
    const before = this.#times[task];
    const lastSeconds = (performance.now() - started) / 1000;
    this.#times[task] = {
      runs: before.runs + 1,
      seconds: before.seconds + lastSeconds,
      lastSeconds,
      failures: before.failures + (isFailing ? 1 : 0),
      failedAt: isFailing ? Date.now() : before.failedAt,
      succeededAt: isFailing ? before.succeededAt : Date.now(),
      isFailing,
    };
  }
}
