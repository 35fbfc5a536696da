// Merging in the known order gives what sorting gives.
import {
  noneRemoved,
  withoutRemoved,
  withRemovedRows,
  type RemovedRows,
} from '../../src/store/maintenance/removed-rows.js';
import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import * as fc from 'fast-check';
import { identifier, join, sql, type Sql } from '../../src/duckdb/sql.js';
import type { ObjectStats } from '../../src/store/segment/segment.js';
import { toSegment, type Segment } from '../../src/store/segment/segment.js';
import { mergePaths } from '../../src/store/segment/merged-paths.js';
import { compressionLevels } from '../../src/store/segment/segment-table.js';
import { defaultSegmentSettings, writeSegment } from '../../src/store/segment/segment-writer.js';
import { SegmentOrderError } from '../../src/store/segment/segment-order.js';
import { mergeOrder, newRowsOf, type RowRun } from '../../src/store/maintenance/merge-order.js';
import { rowsInOrder, sortedNewRows, sortedRows } from '../../src/store/maintenance/merged-rows.js';
import { writeRunFiles, type MergeSources } from '../../src/store/maintenance/run-files.js';
import { rowsOf, segmentsIn } from '../support/open-segments.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** In the order of UTF-16 units the last two change places. */
const objectIds = ['B', 'a', 'a:b', 'feedback:a', 'feedback:B', 'é', '\u{FF5E}', '\u{1F600}'];

interface Write {
  readonly objectId: string;
  /** Numbers of traces; some events share one. */
  readonly traces: readonly number[];
  readonly superseded: boolean;
}

const segmentsOfWrites = fc.array(
  fc.array(
    fc.record({
      objectId: fc.constantFrom(...objectIds),
      traces: fc.array(fc.nat(5), { minLength: 1, maxLength: 4 }),
      superseded: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  { minLength: 1, maxLength: 4 },
);

const everyObject: readonly (readonly Write[])[] = [false, true].map((superseded) =>
  objectIds.map((objectId) => ({ objectId, traces: [2, 0], superseded })),
);

const stats = (
  objectId: string,
  xactIds: readonly [bigint, bigint],
  rows: readonly [number, number],
): ObjectStats => ({
  objectId,
  rows: rows[1] - rows[0] + 1,
  tombstones: 0,
  superseded: 0,
  minXactId: xactIds[0],
  maxXactId: xactIds[1],
  minCreated: 0n,
  maxCreated: 0n,
  firstRow: rows[0],
  lastRow: rows[1],
});

const withObjects = (source: number, ...objects: readonly ObjectStats[]) => ({
  source,
  rows: objects.reduce((sum, { rows }) => sum + rows, 0),
  objects: new Map(objects.map((object) => [object.objectId, object])),
});

/** So many rows of an object. */
const many = (objectId: string, rows: number): Write => ({
  objectId,
  traces: Array.from({ length: rows }, (_, index) => index),
  superseded: false,
});

const idOf = (row: Readonly<Record<string, unknown>>) =>
  `${String(row['object_id'])} ${String(row['id'])}`;

describe('the order of a merge', () => {
  it('is by object and then by segment; what stays together is one run', () => {
    const segments = [
      withObjects(1, stats('a', [1n, 2n], [0, 4]), stats('c', [1n, 2n], [5, 6])),
      withObjects(2, stats('b', [3n, 4n], [0, 1]), stats('c', [3n, 3n], [2, 2])),
      withObjects(3, stats('c', [5n, 5n], [0, 0]), stats('d', [5n, 6n], [1, 3])),
    ];
    const runs = mergeOrder(segments);
    expect(runs).to.deep.equal([
      { source: 1, firstRow: 0, lastRow: 4, newRow: 0 },
      { source: 2, firstRow: 0, lastRow: 1, newRow: 5 },
      { source: 1, firstRow: 5, lastRow: 6, newRow: 7 },
      { source: 2, firstRow: 2, lastRow: 2, newRow: 9 },
      { source: 3, firstRow: 0, lastRow: 3, newRow: 10 },
    ] satisfies RowRun[]);
    expect([...newRowsOf(segments, runs!)]).to.deep.equal([
      0, 1, 2, 3, 4, 7, 8, 5, 6, 9, 10, 11, 12, 13,
    ]);
  });

  it('is not known when rows do not lie together, transactions overlap, or there are too many runs', () => {
    const whole = stats('a', [1n, 2n], [0, 4]);
    expect(mergeOrder([withObjects(1, { ...whole, rows: 4 })])).to.equal(null);
    const overlapping = withObjects(2, stats('a', [2n, 3n], [0, 1]));
    expect(mergeOrder([withObjects(1, whole), overlapping])).to.equal(null);
    const interleaved = (objects: number) =>
      [1, 2].map((source) =>
        withObjects(
          source,
          ...Array.from({ length: objects }, (_, index) =>
            stats(`o${index}`, [BigInt(source), BigInt(source)], [index, index]),
          ),
        ),
      );
    expect(mergeOrder(interleaved(128))).to.have.length(256);
    expect(mergeOrder(interleaved(129))).to.equal(null);
  });

  describe('of random segments', () => {
    const directory = temporaryDirectory();
    const segments = segmentsIn(directory);

    /** Names of the files that are no copies of runs. */
    const ownFiles = async () =>
      (await readdir(directory(), { recursive: true })).filter((name) => !name.startsWith('run-'));

    /** A segment of the writes, whose transactions begin with `xactId`. */
    async function write(
      source: number,
      xactId: bigint,
      writes: readonly Write[],
    ): Promise<Segment> {
      const name = { projectId: 'project', source };
      const requests = writes.map(({ objectId, traces, superseded }, index) => ({
        xactId: xactId + BigInt(index),
        rows: rowsOf(
          objectId,
          JSON.stringify(
            traces.map((trace) => ({ root_span_id: `t${trace}`, span_id: 's', input: { trace } })),
          ),
        ),
        ...(superseded && { supersededBy: 900n }),
      }));
      const written = await segments().write(requests, {
        name,
      });
      return toSegment(source, 'project', written, {});
    }

    async function merging(written: readonly Segment[]) {
      let next = 0;
      const inputs = written.map(({ source, rows }) => ({
        source,
        firstRow: (next += rows) - rows,
      }));
      const supersessions = identifier('superseded since');
      // Every third row, and the first one.
      const places = written.map(
        ({ source, rows }) => sql`
          SELECT ${BigInt(source)}::INTEGER AS source, r::INTEGER AS "row", 1000 + r AS by_xact_id
          FROM range(0, ${BigInt(rows)}) t(r) WHERE r % 3 = 0`,
      );
      await segments().connection.run(
        sql`CREATE OR REPLACE TABLE ${supersessions} AS ${join(places, ' UNION ALL ')}`,
      );
      const merged = mergePaths(written, defaultSegmentSettings.leafPathsMax);
      return {
        segments: written,
        inputs,
        files: segments().files,
        supersessions,
        removed: noneRemoved,
        merged,
      };
    }

    /** Every fourth row, and the second one. */
    const fewRemoved = (
      inputs: readonly Segment[],
      work: (removed: RemovedRows) => Promise<void>,
    ) =>
      withRemovedRows(
        segments().connection,
        inputs,
        ({ rows }) => sql`
          SELECT r::INTEGER AS "row" FROM range(0, ${BigInt(rows)}) t(r) WHERE r % 4 = 1`,
        work,
      );

    const written = async ({ segments: inputs, merged, removed }: MergeSources, rows: Sql) => {
      await writeSegment(segments().connection, {
        rows,
        rowCount: inputs.reduce((sum, each) => sum + each.rows, 0) - removed.count,
        paths: merged.paths,
        hasLargeRows: false,
        compressionLevel: compressionLevels.merge,
        files: segments().files,
        name: segments().name,
      });
      return segments().read();
    };

    const inOrder = async (sources: MergeSources, runs: readonly RowRun[]) =>
      written(
        sources,
        rowsInOrder(
          sources,
          await writeRunFiles(segments().connection, sources, runs, directory()),
        ),
      );

    it('is that of sorting: the same file, and the same row numbers, also without removed rows', async () => {
      await fc.assert(
        fc.asyncProperty(segmentsOfWrites, async (writes) => {
          const inputs: Segment[] = [];
          for (const [index, each] of writes.entries())
            inputs.push(await write(index + 1, BigInt(index * 10 + 1), each));
          const sources = await merging(inputs);
          const runs = mergeOrder(inputs);
          expect(runs).to.not.equal(null);
          const sorted = await written(sources, sortedRows(sources));
          expect(await inOrder(sources, runs!)).to.deep.equal(sorted);
          const newRows = newRowsOf(inputs, runs!);
          expect(newRows).to.deep.equal(await sortedNewRows(segments().connection, sources));
          await fewRemoved(inputs, async (removed) => {
            const without = { ...sources, removed };
            if (removed.count === newRows.length) return;
            const fewer = await written(without, sortedRows(without));
            expect(await inOrder(without, runs!)).to.deep.equal(fewer);
            const firstRows = new Map(sources.inputs.map((each) => [each.source, each.firstRow]));
            const kept = withoutRemoved(newRows, firstRows, removed);
            const numbers = Array.from(
              newRows,
              (row, at) => [kept[at]!, idOf(sorted[row]!)] as const,
            );
            expect(numbers.filter(([row]) => row >= 0).toSorted(([a], [b]) => a - b)).to.deep.equal(
              fewer.map((row, index) => [index, idOf(row)]),
            );
          });
        }),
        { numRuns: 8, examples: [[everyObject]] },
      );
    });

    it('is the order of the file, however many rows fill the last row group of each segment', async () => {
      const inputs: Segment[] = [];
      // Of the first, the last row group has less than half of its rows.
      for (const [index, rows] of [3000, 5000, 1000, 3000].entries())
        inputs.push(await write(index + 1, BigInt(index * 10 + 1), [many('a', rows)]));
      const found = await inOrder(await merging(inputs), mergeOrder(inputs)!);
      expect(found).to.have.length(12_000);
      expect(
        found.every((row) => BigInt(row['_row'] as number) === row['file_row_number']),
      ).to.equal(true);
    });

    it('is verified when the files are written: a segment that lacks it is refused, and its files are removed', async () => {
      const sources = await merging([await write(1, 1n, [many('a', 2), many('b', 2)])]);
      const first = { source: 1, firstRow: 0, lastRow: 1, newRow: 0 };
      const second = { source: 1, firstRow: 2, lastRow: 3, newRow: 2 };
      expect(await inOrder(sources, [first, second])).to.have.length(4);
      await segments().files.remove(segments().name);
      const before = await ownFiles();
      const numbersOnly = [
        { ...second, newRow: 0 },
        { ...first, newRow: 2 },
      ];
      for (const [runs, problem] of [
        [[second, first], 'its row numbers are not in order'],
        [[first, first], 'its row numbers are not in order'],
        [numbersOnly, 'its rows are not sorted'],
      ] as const) {
        const error = await rejection(inOrder(sources, runs));
        expect(error).to.be.instanceOf(SegmentOrderError);
        expect(error.message).to.equal(`the files of a new segment are refused: ${problem}`);
      }
      expect(await ownFiles()).to.deep.equal(before);
    });
  });
});
