// Which segments to merge next: a pure function of what the manifest says.
import type { Segment } from '../segment/segment.js';

export interface CompactionSettings {
  /** So many neighbours of about one size are merged. */
  readonly fanOut: number;
  /** No merged segment has more rows … */
  readonly rowsMax: number;
  /** … or is larger, in bytes. */
  readonly bytesMax: number;
  /** A segment is written anew when this share of its rows was superseded since. */
  readonly supersededShare: number;
  /** … and none was for so long. */
  readonly calmMs: number;
  /** While so many generations wait to be flushed, the processor is theirs … */
  readonly pressingFlushes: number;
  /** … unless there are so many segments. */
  readonly pressingSegments: number;
}

export const defaultCompaction: CompactionSettings = {
  fanOut: 8,
  rowsMax: 1_000_000,
  bytesMax: 512 * 2 ** 20,
  supersededShare: 0.05,
  calmMs: 3000,
  pressingFlushes: 2,
  pressingSegments: 200,
};

/** What earlier failures say of merges. */
export interface CompactionLimits {
  /** Bytes of a merge at most, by project. */
  readonly bytesMax: ReadonlyMap<string, number>;
  /** Sources that no merge takes. */
  readonly setAside: ReadonlySet<number>;
}

const unlimited: CompactionLimits = { bytesMax: new Map(), setAside: new Set() };

type Candidate = Pick<Segment, 'source' | 'projectId' | 'firstXactId' | 'rows' | 'bytes'>;

/** Rows of so many bytes are read one by one anyway: merging their segments would gain nothing, and take much memory. */
const heavyRowBytes = 256 * 2 ** 10;

const isHeavy = ({ rows, bytes }: Candidate): boolean => bytes >= rows * heavyRowBytes;

/**
 * `superseded` are the counts by source of those segments that may be written anew. Neighbours in the order of their transaction ids, or one segment alone; null when nothing is worth
 * its cost. Small segments come first: they are cheap and there may be many.
 */
export function planCompaction<S extends Candidate>(
  segments: readonly S[],
  superseded: ReadonlyMap<number, number>,
  settings: CompactionSettings,
  { bytesMax, setAside }: CompactionLimits = unlimited,
): readonly S[] | null {
  for (const [projectId, ordered] of byProject(segments)) {
    const limit = bytesMax.get(projectId) ?? Infinity;
    const limited = { ...settings, bytesMax: Math.min(settings.bytesMax, limit) };
    const free = (segment: S) => !setAside.has(segment.source) && !isHeavy(segment);
    const small = ordered.filter((segment) => free(segment) && segment.bytes <= limit);
    const run =
      smallestTierRun(ordered, limited, free) ?? mostSuperseded(small, superseded, settings);
    if (run !== null) return run;
  }
  return null;
}

/**
 * So many segments at most does a project of so many rows and bytes have when no merge is left to do and none was
 * limited. Its segments in order, cut greedily into stretches that fit the caps, are fewer than `fanOut` in each stretch, as they
 * would be merged otherwise; and two neighbouring stretches are together beyond one of the caps.
 */
export function segmentsMax(
  project: Pick<Segment, 'rows' | 'bytes'>,
  { fanOut, rowsMax, bytesMax }: CompactionSettings,
): number {
  const pairs = Math.floor(project.rows / rowsMax) + Math.floor(project.bytes / bytesMax);
  return (Math.max(2, fanOut) - 1) * (2 * pairs + 1);
}

/** Whether flushes are so much behind that merges have to wait for them. */
export const isFlushing = (
  sealed: number,
  segments: number,
  { pressingFlushes, pressingSegments }: CompactionSettings,
): boolean => sealed >= pressingFlushes && segments < pressingSegments;

function byProject<S extends Candidate>(segments: readonly S[]): ReadonlyMap<string, readonly S[]> {
  const projects = new Map<string, S[]>();
  for (const segment of segments.toSorted((a, b) => (a.firstXactId < b.firstXactId ? -1 : 1))) {
    const ordered = projects.get(segment.projectId);
    if (ordered === undefined) projects.set(segment.projectId, [segment]);
    else ordered.push(segment);
  }
  return projects;
}

// Every row is rewritten once per tier, so that its cost grows with the logarithm of the data only. Nothing is merged over a
// segment that is not free.
function smallestTierRun<S extends Candidate>(
  ordered: readonly S[],
  settings: CompactionSettings,
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

/** The first run of segments of the tier or smaller ones that is long enough, up to the caps. */
function longestRun<S extends Candidate>(
  ordered: readonly S[],
  tiers: readonly number[],
  tier: number,
  settings: CompactionSettings,
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

function fits(run: readonly Candidate[], { rowsMax, bytesMax }: CompactionSettings): boolean {
  const rows = run.reduce((sum, segment) => sum + segment.rows, 0);
  const bytes = run.reduce((sum, segment) => sum + segment.bytes, 0);
  return rows <= rowsMax && bytes <= bytesMax;
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
