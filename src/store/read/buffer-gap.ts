// What a reader that shows one state lacks of a later one: rows of the write buffer, and what superseded others.
import type { StoreState } from '../store-state.js';

export interface GenerationRows {
  readonly source: number;
  /** The first that is lacking. */
  readonly firstRow: number;
  readonly rowCount: number;
}

export interface BufferGap {
  /** Generations that have no table yet. */
  readonly newGenerations: readonly number[];
  readonly rows: readonly GenerationRows[];
  /** Sources of which only supersessions by later transactions than `after` are lacking … */
  readonly knownSources: readonly number[];
  /** … and those of which all are: what is moved to a new segment may have been superseded before. */
  readonly newSources: readonly number[];
  readonly after: bigint;
  readonly upTo: bigint;
}

const generationsOf = ({ sealed, active }: StoreState) => [...sealed, active];

const sourcesOf = (state: StoreState): readonly number[] =>
  [...generationsOf(state), ...state.segments].map(({ source }) => source);

export function gapBetween(shown: StoreState, wanted: StoreState): BufferGap {
  const known = new Set(sourcesOf(shown));
  const counts = new Map(generationsOf(shown).map(({ source, rowCount }) => [source, rowCount]));
  const generations = generationsOf(wanted);
  return {
    newGenerations: generations.map(({ source }) => source).filter((source) => !known.has(source)),
    rows: generations
      .map(({ source, rowCount }) => ({ source, firstRow: counts.get(source) ?? 0, rowCount }))
      .filter(({ firstRow, rowCount }) => firstRow < rowCount),
    knownSources: sourcesOf(wanted).filter((source) => known.has(source)),
    newSources: sourcesOf(wanted).filter((source) => !known.has(source)),
    after: shown.lastXactId,
    upTo: wanted.lastXactId,
  };
}
