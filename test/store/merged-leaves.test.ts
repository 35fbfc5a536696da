// Whatever JSON the rows of several segments hold: the leaf columns that their merged segment takes over give every value back.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { noneRemoved } from '../../src/store/maintenance/removed-rows.js';
import { sql } from '../../src/duckdb/sql.js';
import { mergePaths, type MergedPaths } from '../../src/store/segment/merged-paths.js';
import { toSegment, type Segment } from '../../src/store/segment/segment.js';
import { compressionLevels } from '../../src/store/segment/segment-table.js';
import { defaultSegmentSettings, writeSegment } from '../../src/store/segment/segment-writer.js';
import { mergeOrder } from '../../src/store/maintenance/merge-order.js';
import { rowsInOrder, sortedRows } from '../../src/store/maintenance/merged-rows.js';
import { writeRunFiles, type MergeSources } from '../../src/store/maintenance/run-files.js';
import { eventTexts } from '../support/documents.js';
import { checkPaths, type Counts } from '../support/leaf-values.js';
import { rowsOf, segmentsIn } from '../support/open-segments.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

interface Input {
  readonly events: readonly string[];
  readonly leafPathsMax?: number;
}

interface Merged {
  readonly merged: MergedPaths;
  /** Of the rows that were merged in their order, and of those that were sorted. */
  readonly counts: readonly [Counts, Counts];
  /** How many segments were read from copies. */
  readonly copies: number;
}

const metadata = (...values: readonly unknown[]): Input => ({
  events: values.map((value) => JSON.stringify({ metadata: value })),
});

const objectOf = (keys: number, prefix: string, value: unknown) =>
  Object.fromEntries(Array.from({ length: keys }, (_, index) => [`${prefix}${index}`, value]));

const taken = ({ merged }: Merged) => merged.taken.map(({ name }) => name).toSorted();

describe('leaf columns of a merged segment', () => {
  const directory = temporaryDirectory();
  const segments = segmentsIn(directory);

  beforeEach(async () => {
    await segments().connection.run(
      sql`CREATE TABLE ended (source INTEGER, "row" INTEGER, by_xact_id BIGINT)`,
    );
  });

  async function write(source: number, { events, leafPathsMax = 150 }: Input): Promise<Segment> {
    const name = { projectId: 'project', source };
    const rows = rowsOf('e', `[${events.join()}]`);
    const stats = await segments().write([{ xactId: BigInt(source), rows }], {
      name,
      settings: { ...defaultSegmentSettings, leafPathsMax },
    });
    return toSegment(source, 'project', stats, {});
  }

  async function check(
    sources: MergeSources,
    rows: MergeSources['supersessions'],
  ): Promise<Counts> {
    const { paths } = sources.merged;
    const rowCount = sources.segments.reduce((sum, segment) => sum + segment.rows, 0);
    const { connection, files, name } = segments();
    const contents = { rows, rowCount, paths, hasLargeRows: false };
    const { merge: compressionLevel } = compressionLevels;
    await writeSegment(connection, { ...contents, compressionLevel, files, name });
    const found = await segments().read();
    expect(found).to.have.length(rowCount);
    return checkPaths(found, paths);
  }

  async function merge(...inputs: readonly Input[]): Promise<Merged> {
    const written: Segment[] = [];
    for (const [index, input] of inputs.entries()) written.push(await write(index + 1, input));
    const merged = mergePaths(written, defaultSegmentSettings.leafPathsMax);
    let next = 0;
    const sources = {
      segments: written,
      inputs: written.map(({ source, rows }) => ({ source, firstRow: (next += rows) - rows })),
      files: segments().files,
      supersessions: sql`ended`,
      removed: noneRemoved,
      merged,
    };
    const runs = mergeOrder(written)!;
    const runFiles = await writeRunFiles(segments().connection, sources, runs, directory());
    const copies = runFiles.filter(({ file }) => file.includes('run-')).length;
    const inOrder = await check(sources, rowsInOrder(sources, runFiles));
    return { merged, counts: [inOrder, await check(sources, sortedRows(sources))], copies };
  }

  it('give back every value of random documents', async () => {
    const sum: Counts = { leaf: 0, elsewhere: 0, text: 0 };
    const input = fc.record({
      events: fc.array(eventTexts, { minLength: 1, maxLength: 6 }),
      leafPathsMax: fc.constantFrom(150, 150, 2),
    });
    const property = fc.asyncProperty(
      fc.array(input, { minLength: 2, maxLength: 3 }),
      async (inputs) => {
        const { counts } = await merge(...inputs);
        expect(counts[0]).to.deep.equal(counts[1]);
        for (const kind of ['leaf', 'elsewhere', 'text'] as const) sum[kind] += counts[0][kind];
      },
    );
    await fc.assert(property, { numRuns: 12 });
    expect(sum.leaf).to.be.greaterThan(100);
    expect(sum.elsewhere).to.be.greaterThan(10);
    expect(sum.text).to.be.greaterThan(10);
  });

  it('are taken over from the files where segments have them alike', async () => {
    const merged = await merge(metadata({ a: 1, b: 'x' }), metadata({ a: 2 }, { b: 'y' }));
    expect(taken(merged)).to.deep.equal(['metadata/a', 'metadata/b']);
    expect(merged.merged.extracted).to.deep.equal([]);
    expect(merged).to.deep.include({ copies: 0, counts: [leaves(4), leaves(4)] });
  });

  it('are NULL for rows of segments that lack the path', async () => {
    const merged = await merge(metadata({ a: 1 }), metadata({ b: 'x' }), metadata({ c: true }));
    expect(merged).to.deep.include({ copies: 0, counts: [leaves(3), leaves(3)] });
  });

  it('have names of their own where segments have a name for different things', async () => {
    const types = await merge(metadata({ a: 1 }), metadata({ a: 'x' }));
    expect(taken(types)).to.deep.equal(['metadata/a', 'metadata/a~2']);
    expect(types).to.deep.include({ copies: 1, counts: [leaves(2), leaves(2)] });
    const cases = await merge(metadata({ a: 1 }), metadata({ A: 2 }));
    expect(taken(cases)).to.deep.equal(['metadata/A', 'metadata/a~2']);
    expect(cases).to.deep.include({ copies: 1, counts: [leaves(2), leaves(2)] });
    const slashes = await merge(metadata({ 'a/b': 1 }), metadata({ a: { b: 2 } }));
    expect(taken(slashes)).to.deep.equal(['metadata/a/b', 'metadata/a/b~2']);
    expect(slashes.copies).to.equal(1);
  });

  it('are extracted again for a path that is in the text of some segment', async () => {
    const few = { ...metadata({ a: 'x', b: 1 }, { a: 3, b: [1] }, { b: 2 }), leafPathsMax: 1 };
    const merged = await merge(metadata({ a: 1, b: 'x' }), few);
    expect(merged.merged.extracted.map(({ steps }) => steps)).to.deep.equal([['b']]);
    expect(taken(merged)).to.deep.equal(['metadata/a', 'metadata/a~2']);
    expect(merged.counts[0]).to.deep.equal({ leaf: 6, elsewhere: 1, text: 0 });
  });

  it('are as many as a segment may have: those of most rows', async () => {
    const merged = await merge(
      metadata(objectOf(100, 'a', 1)),
      metadata(objectOf(100, 'b', 1), objectOf(100, 'b', 1)),
    );
    const { leaves: stored, textPaths, complete } = merged.merged.paths.metadata!;
    expect(stored.size).to.equal(150);
    expect([...stored.keys()].filter((key) => key.includes('b'))).to.have.length(100);
    expect(textPaths.size).to.equal(50);
    expect(complete).to.equal(true);
  });

  it('leave out what is too much to be listed, and say so', async () => {
    const { merged } = await merge(
      metadata(objectOf(1500, 'a', [])),
      metadata(objectOf(1500, 'b', [])),
    );
    expect(merged.paths.metadata?.textPaths.size).to.equal(2000);
    expect(merged.paths.metadata?.complete).to.equal(false);
  });
});

const leaves = (leaf: number): Counts => ({ leaf, elsewhere: 0, text: 0 });
