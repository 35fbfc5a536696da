// The row versions that were inserted since the start, by project.
export interface InsertedTotal {
  readonly events: number;
  /** Their size in the log. */
  readonly bytes: number;
}

const nothing: InsertedTotal = { events: 0, bytes: 0 };

export class InsertedTotals {
  readonly #byProject = new Map<string, InsertedTotal>();

  get all(): ReadonlyMap<string, InsertedTotal> {
    return this.#byProject;
  }

  add(projectId: string, bytes: number): void {
    const before = this.#byProject.get(projectId) ?? nothing;
    this.#byProject.set(projectId, { events: before.events + 1, bytes: before.bytes + bytes });
  }
}
