// Limits how often queries that ask for the columnstore may seal the buffer.

/** Up to this many buffered rows, reading them from the buffer takes less time than flushing them. */
export const sealedAbove = 20_000;

/** The shortest time between two seals of a project. Each seal creates a segment. */
export const sealEveryMs = 60_000;

export class ColumnSeals {
  readonly #now: () => number;
  /** By project, in milliseconds of a monotonic clock. */
  readonly #sealedAt = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether one of the projects may be sealed for now; if so, all count as sealed now. */
  take(projectIds: readonly string[]): boolean {
    const now = this.#now();
    const isDue = (projectId: string) =>
      now - (this.#sealedAt.get(projectId) ?? -Infinity) >= sealEveryMs;
    if (!projectIds.some(isDue)) return false;
    this.#forget(now);
    for (const projectId of projectIds) this.#sealedAt.set(projectId, now);
    return true;
  }

  #forget(now: number): void {
    for (const [projectId, at] of this.#sealedAt)
      if (now - at >= sealEveryMs) this.#sealedAt.delete(projectId);
  }
}
