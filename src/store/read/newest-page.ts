// A page of the newest rows of an object, which grows row by row in page order.
import type { EventRow } from '../../schema/event-row.js';

/** The first `count` rows in page order, or all rows up to the first one of a further trace after `count` traces. */
export interface NewestRows {
  readonly unit: 'rows' | 'traces';
  readonly count: number;
}

export class NewestPage {
  readonly #wanted: NewestRows;
  readonly #traces = new Set<string>();
  readonly rows: EventRow[] = [];
  /** Whether a row was refused, since it belongs to the next page. */
  isFull = false;

  constructor(wanted: NewestRows) {
    this.#wanted = wanted;
  }

  /** Adds the next row in page order, or finds that the page is full. */
  add(rootSpanId: string, read: () => EventRow): void {
    const { unit, count } = this.#wanted;
    const isOfPage =
      unit === 'rows'
        ? this.rows.length < count
        : this.#traces.has(rootSpanId) || this.#traces.size < count;
    this.isFull = !isOfPage;
    if (!isOfPage) return;
    this.#traces.add(rootSpanId);
    this.rows.push(read());
  }
}
