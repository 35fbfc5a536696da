// Decides which segments are merged next, and how long merges wait. Pure functions.
import { openFiles } from '../../open-files.js';
import { maxBigint, minBigint } from '../../schema/xact-id.js';
import { groupBy } from '../row/group-by.js';
import { byTransactions, type Segment } from '../segment/segment.js';
import { largeRowBytes } from '../segment/segment-writer.js';

export interface CompactionSettings {
  /** The number of neighbouring segments of similar size that are merged. */
  readonly fanOut: number;
  /** The number of segments that one merge reads at most, if it is larger than `fanOut`. */
  readonly mergedMax: number;
  /** The largest merged segment in rows. */
  readonly rowsMax: number;
  /** The largest merged segment in bytes. */
  readonly bytesMax: number;
  /** A segment is rewritten when this share of its rows was superseded. */
  readonly supersededShare: number;
  /** Milliseconds without new supersessions before a segment is rewritten. */
  readonly idleMs: number;
  /** Milliseconds without a flush before a merge, so that merges do not compete with a load. */
  readonly quietMs: number;
  /** Merges do not wait while a project has this many segments. */
  readonly pressingSegments: number;
}

export const defaultCompaction: CompactionSettings = {
  fanOut: 8,
  mergedMax: openFiles.mergedMax,
  rowsMax: 1_000_000,
  bytesMax: 512 * 2 ** 20,
  supersededShare: 0.05,
  idleMs: 3000,
  quietMs: 5000,
  pressingSegments: 64,
};

/** Limits on merges after earlier failures, and for rows that are to leave. */
export interface CompactionLimits {
  /** The largest merge in bytes, by project. */
  readonly bytesMax: ReadonlyMap<string, number>;
  /** Sources that are excluded from merges. */
  readonly excluded: ReadonlySet<number>;
  /** The largest merge of any project for which the disk has room, in bytes. */
  readonly room: number;
  /** By project, the span of the times of rows (`created`) that are merged with each other, in microseconds. */
  readonly spans: ReadonlyMap<string, bigint>;
}

const unlimited: CompactionLimits = {
  bytesMax: new Map(),
  excluded: new Set(),
  room: Infinity,
  spans: new Map(),
};

type Candidate = Pick<
  Segment,
  'source' | 'projectId' | 'firstXactId' | 'lastXactId' | 'rows' | 'bytes' | 'objects'
>;

type RunLimits = CompactionSettings & { readonly spanMax: bigint | null };

/** Segments whose rows are large on average are not merged: the rows are read one by one anyway, and a merge would take much memory. */
const isLarge = ({ rows, bytes }: Candidate): boolean => bytes >= rows * largeRowBytes;

/**
 * Returns neighbouring segments to merge, in the order of their transaction ids, or one segment to rewrite, or null. Small
 * segments come first, since they are cheap to merge and may be many.
 * @param superseded the number of superseded rows of each segment that may be rewritten, by source
 */
export function planCompaction<S extends Candidate>(
  segments: readonly S[],
  superseded: ReadonlyMap<number, number>,
  settings: CompactionSettings,
  { bytesMax, excluded, room, spans }: CompactionLimits = unlimited,
): readonly S[] | null {
  for (const [projectId, ordered] of byProject(segments)) {
    const limit = Math.min(bytesMax.get(projectId) ?? Infinity, room);
    const limited = {
      ...settings,
      bytesMax: Math.min(settings.bytesMax, limit),
      spanMax: spans.get(projectId) ?? null,
    };
    const free = (segment: S) => !excluded.has(segment.source) && !isLarge(segment);
    const small = ordered.filter((segment) => free(segment) && segment.bytes <= limit);
    const run =
      smallestTierRun(ordered, limited, free) ?? mostSuperseded(small, superseded, settings);
    if (run !== null) return run;
  }
  return null;
}

/**
 * Returns how long the next merge waits, in milliseconds.
 * @param sinceFlush milliseconds since the last flush; 0 during one
 */
export function mergeDelay(
  sinceFlush: number,
  segments: readonly Pick<Segment, 'projectId'>[],
  { quietMs, pressingSegments }: CompactionSettings,
): number {
  if (sinceFlush >= quietMs) return 0;
  const counts = [...groupBy(segments, ({ projectId }) => projectId).values()];
  return counts.some(({ length }) => length >= pressingSegments) ? 0 : quietMs - sinceFlush;
}

const byProject = <S extends Candidate>(
  segments: readonly S[],
): ReadonlyMap<string, readonly S[]> =>
  groupBy(segments.toSorted(byTransactions), ({ projectId }) => projectId);

// A row is rewritten once per tier, so the cost per row is logarithmic in the size of the data. Segments on both sides of one
// that may not be merged are not merged with each other.
function smallestTierRun<S extends Candidate>(
  ordered: readonly S[],
  settings: RunLimits,
  free: (segment: S) => boolean,
): readonly S[] | null {
  const tiers = ordered.map((segment) =>
    free(segment) ? tierOf(segment.rows, settings.fanOut) : Infinity,
  );
  for (const tier of [...new Set(tiers)].sort((a, b) => a - b).filter(Number.isFinite)) {
    const run = longestRun(ordered, tiers, tier, settings);
    if (run.length >= Math.max(2, settings.fanOut)) return run;
  }
  return null;
}

const tierOf = (rows: number, fanOut: number): number =>
  Math.floor(Math.log(Math.max(1, rows)) / Math.log(Math.max(2, fanOut)));

/** The longest run of neighbouring segments of the tier or a smaller one that fits the caps. */
function longestRun<S extends Candidate>(
  ordered: readonly S[],
  tiers: readonly number[],
  tier: number,
  settings: RunLimits,
): readonly S[] {
  let run: S[] = [];
  let longest: readonly S[] = [];
  for (const [index, segment] of ordered.entries()) {
    if (tiers[index]! > tier) run = [];
    else run = fits([...run, segment], settings) ? [...run, segment] : [segment];
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

function fits(
  run: readonly Candidate[],
  { fanOut, mergedMax, rowsMax, bytesMax, spanMax }: RunLimits,
): boolean {
  if (run.length > Math.max(2, fanOut, mergedMax)) return false;
  const rows = run.reduce((sum, segment) => sum + segment.rows, 0);
  const bytes = run.reduce((sum, segment) => sum + segment.bytes, 0);
  return rows <= rowsMax && bytes <= bytesMax && (spanMax === null || isWithin(run, spanMax));
}

/** Segments whose own rows have a longer span than that are merged if the whole is hardly longer. */
function isWithin(run: readonly Candidate[], spanMax: bigint): boolean {
  const own = run.map((segment) => spanOf([segment])).reduce(maxBigint);
  return spanOf(run) <= maxBigint(spanMax, own + own / 4n);
}

/** From the oldest to the newest `created` of the rows, in microseconds. */
function spanOf(segments: readonly Candidate[]): bigint {
  const stats = segments.flatMap(({ objects }) => [...objects.values()]);
  if (stats.length === 0) return 0n;
  const first = stats.map(({ minCreated }) => minCreated).reduce(minBigint);
  return stats.map(({ maxCreated }) => maxCreated).reduce(maxBigint) - first;
}

function mostSuperseded<S extends Candidate>(
  ordered: readonly S[],
  superseded: ReadonlyMap<number, number>,
  { supersededShare }: CompactionSettings,
): readonly S[] | null {
  const share = ({ source, rows }: S): number => (superseded.get(source) ?? 0) / rows;
  const [most] = ordered.toSorted((a, b) => share(b) - share(a));
  return most !== undefined && share(most) >= supersededShare ? [most] : null;
}
