// What `check-data` finds in a data directory that was loaded, and whether its segments are as few as merges promise.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';

/** A row of the manifest. */
interface ManifestSegment {
  readonly source: number;
  readonly projectId: string;
  readonly firstXactId: bigint;
  readonly rows: number;
  readonly bytes: number;
}

/** Of the module of that name in `dist`. */
interface CompactionPolicy {
  readonly defaultCompaction: object;
  planCompaction(
    segments: readonly ManifestSegment[],
    superseded: ReadonlyMap<number, number>,
    settings: object,
  ): readonly ManifestSegment[] | null;
}

interface SegmentsMax {
  readonly segmentsMax: (
    project: Pick<ManifestSegment, 'rows' | 'bytes'>,
    settings: object,
  ) => number;
}

export interface CheckedData {
  /** A line for each problem. */
  readonly problems: readonly string[];
  readonly segments: number;
  /** So many of them at most are left when all merges are done. */
  readonly segmentsMax: number;
  /** Segments that the next merge would take, 0 when all merges are done. */
  readonly unmerged: number;
}

/** No server has the directory open. `root` is the checkout with the built server. */
export async function checkData(root: string, dataDirectory: string): Promise<CheckedData> {
  const built = (module: string): Promise<unknown> => import(path.join(root, 'dist', module));
  const policy = (await built('src/store/maintenance/compaction-policy.js')) as CompactionPolicy;
  const { segmentsMax } = (await built('test/support/segments-max.js')) as SegmentsMax;
  const { defaultCompaction: settings } = policy;
  const segments = await readManifest(path.join(dataDirectory, 'meta.duckdb'));
  const projects = new Set(segments.map(({ projectId }) => projectId));
  const maxima = [...projects].map((projectId) => {
    const own = segments.filter((segment) => segment.projectId === projectId);
    const total = (of: 'rows' | 'bytes') => own.reduce((sum, segment) => sum + segment[of], 0);
    return segmentsMax({ rows: total('rows'), bytes: total('bytes') }, settings);
  });
  return {
    problems: await problemsOf(root, dataDirectory),
    segments: segments.length,
    segmentsMax: maxima.reduce((sum, max) => sum + max, 0),
    unmerged: policy.planCompaction(segments, new Map(), settings)?.length ?? 0,
  };
}

/** Throws an Error that says what is wrong. */
export async function expectSound(root: string, dataDirectory: string): Promise<CheckedData> {
  const found = await checkData(root, dataDirectory);
  const { problems, segments, segmentsMax, unmerged } = found;
  if (problems.length > 0) throw new Error(`check-data: ${problems.join('; ')}`);
  if (unmerged > 0 || segments > segmentsMax)
    throw new Error(
      `${segments} segments instead of ${segmentsMax} at most, ${unmerged} wait for a merge`,
    );
  return found;
}

async function readManifest(file: string): Promise<readonly ManifestSegment[]> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(
      'SELECT source, project_id, first_xact_id, "rows", bytes FROM segment',
    );
    return reader.getRows().map(([source, projectId, firstXactId, rows, bytes]) => ({
      source: Number(source),
      projectId: String(projectId),
      firstXactId: firstXactId as bigint,
      rows: Number(rows),
      bytes: Number(bytes),
    }));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Exits with 1 when there are problems. */
async function problemsOf(root: string, dataDirectory: string): Promise<readonly string[]> {
  const command = [path.join(root, 'dist/server/evalstore.cjs'), 'check', dataDirectory];
  const run = promisify(execFile)(process.execPath, command, { maxBuffer: 2 ** 26 });
  const output = await run.then(
    () => '',
    (error: Error & { readonly stdout?: string; readonly stderr?: string }) =>
      `${error.stdout ?? ''}${error.stderr ?? ''}`.trim() || error.message,
  );
  return output === '' ? [] : output.split('\n');
}
