// The supersessions of all sources, in memory. On disk, a supersession is in the log of the generation whose row superseded
// the other one. When that generation is flushed, the publishing transaction writes it to the manifest.
import type { Supersession } from './event-table.js';

/** Superseded rows of one source, with the transactions that superseded them. */
export interface SupersededRows {
  readonly rows: Int32Array;
  readonly byXactIds: BigInt64Array;
}

class SourceSupersessions {
  #rows = new Int32Array(8);
  #byXactIds = new BigInt64Array(8);
  #listed = new Uint8Array(8);
  count = 0;

  add(row: number, byXactId: bigint, isListed: boolean): void {
    if (this.count === this.#rows.length) this.#grow();
    this.#rows[this.count] = row;
    this.#byXactIds[this.count] = byXactId;
    this.#listed[this.count] = Number(isListed);
    this.count += 1;
  }

  /** The supersessions by transactions up to `last`. */
  upTo(last: bigint): SupersededRows {
    const found = this.#where((byXactId) => byXactId <= last);
    return {
      rows: Int32Array.from(found, (at) => this.#rows[at]!),
      byXactIds: BigInt64Array.from(found, (at) => this.#byXactIds[at]!),
    };
  }

  addedSince(source: number, count: number): readonly Supersession[] {
    const found: Supersession[] = [];
    for (let at = count; at < this.count; at++) found.push(this.#at(source, at));
    return found;
  }

  after(source: number, xactId: bigint): readonly Supersession[] {
    return this.#where((byXactId) => byXactId > xactId).map((at) => this.#at(source, at));
  }

  unlisted(source: number, upTo?: bigint): readonly Supersession[] {
    return this.#where(
      (byXactId, isListed) => !isListed && (upTo === undefined || byXactId <= upTo),
    ).map((at) => this.#at(source, at));
  }

  markListed(upTo: bigint): void {
    for (const at of this.#where((byXactId) => byXactId <= upTo)) this.#listed[at] = 1;
  }

  #where(isWanted: (byXactId: bigint, isListed: boolean) => boolean): number[] {
    const found: number[] = [];
    for (let at = 0; at < this.count; at++)
      if (isWanted(this.#byXactIds[at]!, this.#listed[at] === 1)) found.push(at);
    return found;
  }

  #at(source: number, at: number): Supersession {
    return { source, row: this.#rows[at]!, byXactId: this.#byXactIds[at]! };
  }

  #grow(): void {
    const size = 2 * this.count;
    const [rows, byXactIds, listed] = [this.#rows, this.#byXactIds, this.#listed];
    this.#rows = new Int32Array(size);
    this.#byXactIds = new BigInt64Array(size);
    this.#listed = new Uint8Array(size);
    this.#rows.set(rows);
    this.#byXactIds.set(byXactIds);
    this.#listed.set(listed);
  }
}

export class Supersessions {
  readonly #sources = new Map<number, SourceSupersessions>();

  add(list: readonly Supersession[], isListed: boolean): void {
    for (const { source, row, byXactId } of list) {
      let of = this.#sources.get(source);
      if (of === undefined) this.#sources.set(source, (of = new SourceSupersessions()));
      of.add(row, byXactId, isListed);
    }
  }

  /** The number of supersessions by source. */
  counts(): Map<number, number> {
    return new Map(Array.from(this.#sources, ([source, { count }]) => [source, count]));
  }

  /** The supersessions that were added after the sources had `counts` of them. */
  addedSince(counts: ReadonlyMap<number, number>): readonly Supersession[] {
    return [...this.#sources].flatMap(([source, of]) =>
      of.addedSince(source, counts.get(source) ?? 0),
    );
  }

  /** The supersessions of a source by transactions up to `upTo`. */
  of(source: number, upTo: bigint): SupersededRows {
    return (this.#sources.get(source) ?? new SourceSupersessions()).upTo(upTo);
  }

  /** The supersessions of the sources by transactions after `xactId`. */
  after(sources: Iterable<number>, xactId: bigint): readonly Supersession[] {
    return [...sources].flatMap((source) => this.#sources.get(source)?.after(source, xactId) ?? []);
  }

  /** All supersessions of the sources. */
  all(sources: Iterable<number>): readonly Supersession[] {
    return this.after(sources, -1n);
  }

  /** The supersessions of the sources that the manifest lacks, by transactions up to `upTo` if it is given. */
  unlisted(sources: Iterable<number>, upTo?: bigint): readonly Supersession[] {
    return [...sources].flatMap(
      (source) => this.#sources.get(source)?.unlisted(source, upTo) ?? [],
    );
  }

  /** Marks the supersessions of the sources up to a transaction as recorded in the manifest. */
  markListed(sources: Iterable<number>, upTo: bigint): void {
    for (const source of sources) this.#sources.get(source)?.markListed(upTo);
  }

  clear(): void {
    this.#sources.clear();
  }

  drop(sources: Iterable<number>): void {
    for (const source of sources) this.#sources.delete(source);
  }
}
