// When a query that asks for columns has buffered rows moved to segments before it reads.

/** With as many buffered rows or fewer, reading them as they are takes less time than sealing them. */
export const sealedAbove = 20_000;

/** Each sealing makes a segment of its own. */
export const sealEveryMs = 60_000;

export class ColumnSeals {
  readonly #now: () => number;
  /** By project, in milliseconds of a clock that nobody sets. */
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
