// A segment file and its index, as this engine and an independent reader of Parquet see them.
import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { sql } from '../../src/duckdb/sql.js';
import { canonicalJson } from '../../src/json/canonical.js';
import { eventColumns } from '../../src/schema/event-columns.js';
import { narrowGroupRows } from '../../src/store/segment/narrow-file.js';
import { SegmentFiles } from '../../src/store/segment/segment-files.js';
import { indexHash, indexMatches } from '../../src/store/segment/segment-index.js';
import { segmentPathsFromJson, segmentPathsToJson } from '../../src/store/segment/segment-paths.js';
import { compressionLevels, readSegment } from '../../src/store/segment/segment-table.js';
import { defaultSegmentSettings, writeSegment } from '../../src/store/segment/segment-writer.js';
import { rowsOf, segmentsIn } from '../support/open-segments.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { traceFiles } from '../support/trace-files.js';

const events = (count: number, prefix = 'row') =>
  JSON.stringify(
    Array.from({ length: count }, (_, index) => ({
      id: `${prefix}${index}`,
      input: { question: `q ${index % 7}`, n: index % 7 },
      output: ['a', index],
      scores: { exact: (index % 10) / 10, 'b c': index % 3 === 0 ? null : 1 },
      metadata: { model: `m${index % 3}`, ok: index % 2 === 0, at: { 'x.y': index } },
      tags: index % 2 === 0 ? ['t', '"'] : null,
      created: `2026-01-${String((index % 28) + 1).padStart(2, '0')}T00:00:00Z`,
    })),
  );

const readable = (value: unknown): unknown => {
  if (value instanceof Date) return BigInt(value.getTime()) * 1000n;
  return value ?? null;
};

const threeRequests = () => [
  { xactId: 30n, rows: rowsOf('b', events(50)) },
  { xactId: 10n, rows: rowsOf('a', events(30)), supersededBy: 20n },
  { xactId: 20n, rows: rowsOf('a', events(30)) },
  {
    xactId: 40n,
    rows: rowsOf('a', '[{"id":"row3","_object_delete":true},{"metadata":{"n":1e400}}]'),
  },
];

const written = (file: string) => [
  `sync ${file}.tmp`,
  `rename ${file}.tmp ${file}`,
  `sync ${path.dirname(file)}`,
];

describe('segment files', () => {
  const directory = temporaryDirectory();
  const segments = segmentsIn(directory);
  const own = (kind: 'rows' | 'narrow' | 'index' | 'ids') =>
    segments().files[kind](segments().name);

  it('are read alike by an independent reader', async () => {
    await segments().write(threeRequests());
    const read = await segments().read();
    const file = await asyncBufferFromFile(own('rows'));
    const rows = await parquetReadObjects({ file, compressors });
    expect(rows.length).to.equal(112);
    for (const [index, row] of rows.entries())
      for (const [name, value] of Object.entries(read[index] ?? {}))
        if (name !== 'file_row_number')
          expect(readable(row[name]), `${name} of row ${index}`).to.deep.equal(value);
  });

  it('hold every event column, sorted, with their row numbers', async () => {
    await segments().write(threeRequests());
    const rows = await segments().read();
    expect(Object.keys(rows[0] ?? {})).to.include.members([
      ...Object.keys(eventColumns),
      '_row',
      '_superseded_by',
      '_input_hash',
      'metadata/at/x.y',
    ]);
    expect(rows.map((row) => BigInt(row['_row'] as number))).to.deep.equal(
      rows.map((row) => row['file_row_number']),
    );
    const order = rows.map((row) =>
      [row['object_id'], row['_xact_id'], row['root_span_id']].join(),
    );
    expect(order).to.deep.equal([...order].sort());
  });

  it('come with the stats that the manifest keeps', async () => {
    const stats = await segments().write(threeRequests());
    expect({ ...stats, paths: null }).to.deep.equal({
      rows: 112,
      bytes: (await stat(own('rows'))).size,
      hasLossless: true,
      hasNarrow: false,
      hasSuperseded: false,
      paths: null,
      objects: [
        {
          objectId: 'a',
          rows: 62,
          tombstones: 1,
          superseded: 30,
          minXactId: 10n,
          maxXactId: 40n,
          minCreated: 1_700_000_000_000_000n,
          maxCreated: 1_769_558_400_000_000n,
          firstRow: 0,
          lastRow: 61,
        },
        {
          objectId: 'b',
          rows: 50,
          tombstones: 0,
          superseded: 0,
          minXactId: 30n,
          maxXactId: 30n,
          minCreated: 1_767_225_600_000_000n,
          maxCreated: 1_769_558_400_000_000n,
          firstRow: 62,
          lastRow: 111,
        },
      ],
    });
  });

  it('map the numbers that rows had before to their new ones', async () => {
    const requests = threeRequests();
    await segments().write(requests);
    const rows = await segments().read();
    const before = requests.flatMap(({ xactId, rows: own }) =>
      own.map(({ id }) => `${xactId} ${id}`),
    );
    const after = Array.from(segments().places(), (row) => rows[row]);
    expect(after.map((row) => `${String(row?.['_xact_id'])} ${String(row?.['id'])}`)).to.deep.equal(
      before,
    );
  });

  it('have the same input hash for equal inputs only', async () => {
    const inputs = [
      '{"a":1,"b":[1,{"c":2,"d":"x"}]}',
      '{"b":[1.0,{"d":"x","c":2}],"a":1}',
      '"{"',
      '"a"',
      '1',
      '1.0',
      '1e999',
      '1e1000',
      '{"a":1}',
      'null',
    ];
    const rows = rowsOf('e', `[${inputs.map((input) => `{"input":${input}}`).join()}]`);
    await segments().write([{ xactId: 1n, rows }]);
    const stored = await segments().read();
    const byHash = new Map<unknown, Set<string>>();
    for (const row of stored) {
      const text = row['input'];
      if (text === null) expect(row['_input_hash']).to.equal(null);
      else
        byHash.set(
          row['_input_hash'],
          (byHash.get(row['_input_hash']) ?? new Set()).add(canonicalJson(text as string)),
        );
    }
    expect(byHash.size).to.equal(6);
    expect([...byHash.values()].every(({ size }) => size === 1)).to.equal(true);
  });

  it('have a file without JSON text when they are large enough', async () => {
    const settings = { ...defaultSegmentSettings, narrowRowsMin: 3 };
    const few = await segments().write([{ xactId: 1n, rows: rowsOf('e', events(2)) }], {
      settings,
    });
    expect(few.hasNarrow).to.equal(false);
    const rows = rowsOf('e', events(5000));
    const stats = await segments().write([{ xactId: 1n, rows }], { settings });
    expect(stats.hasNarrow).to.equal(true);
    const narrow = readSegment(own('narrow'));
    const wide = readSegment(own('rows'));
    const text = sql`input, output, expected, error, scores, metadata, metrics, context, span_attributes, origin, classifications`;
    expect(await segments().connection.read(sql`SELECT * FROM ${narrow}`)).to.deep.equal(
      await segments().connection.read(sql`SELECT * EXCLUDE (${text}) FROM ${wide}`),
    );
    const metadata = await parquetMetadataAsync(await asyncBufferFromFile(own('narrow')));
    expect(metadata.row_groups).to.have.lengthOf(1);
  });

  it('have narrow files of a few large row groups', () => {
    const groups = [20_480, 40_000, 100_000, 250_000, 1_000_000].map(narrowGroupRows);
    expect(groups).to.deep.equal([20_480, 20_480, 26_624, 63_488, 122_880]);
  });

  it('say in their footer how they are laid out', async () => {
    const settings = { ...defaultSegmentSettings, rowGroupRows: 2048 };
    const rows = rowsOf('e', events(5000));
    const stats = await segments().write([{ xactId: 1n, rows }], { settings });
    const metadata = await parquetMetadataAsync(await asyncBufferFromFile(own('rows')));
    expect(metadata.row_groups.map(({ num_rows: count }) => Number(count))).to.deep.equal([
      2048, 2048, 904,
    ]);
    const entry = (name: string) =>
      metadata.key_value_metadata?.find(({ key }) => key === name)?.value;
    expect(entry('evalstore_format')).to.equal('1');
    expect(segmentPathsFromJson(entry('evalstore_paths') ?? '')).to.deep.equal(stats.paths);
    expect(segmentPathsFromJson(segmentPathsToJson(stats.paths))).to.deep.equal(stats.paths);
  });

  it('have an index that finds rows by id and by trace', async () => {
    await segments().write(threeRequests());
    const rows = await segments().read();
    const find = async (kind: 'id' | 'root_span_id', ...hashes: readonly bigint[]) =>
      (
        await segments().connection.read(
          sql`${indexMatches([own('index')], kind, hashes)} ORDER BY "row"`,
        )
      ).map(({ row }) => row);
    const rowsWhere = (column: string, value: unknown) =>
      rows
        .filter((row) => row['object_id'] === 'a' && row[column] === value)
        .map((row) => row['_row']);
    const trace = rows[5]?.['root_span_id'] as string;
    expect(await find('id', indexHash('a', 'row3')))
      .to.deep.equal(rowsWhere('id', 'row3'))
      .and.to.have.length(3);
    expect(await find('root_span_id', indexHash('a', trace))).to.deep.equal(
      rowsWhere('root_span_id', trace),
    );
    expect(await find('id', indexHash('a', randomUUID()), indexHash('b', 'row1'))).to.have.length(
      1,
    );
    expect(await find('id')).to.deep.equal([]);
  });

  it('leave nothing behind when they cannot be written', async () => {
    const { connection, files, name } = segments();
    await segments().write([{ xactId: 1n, rows: rowsOf('e', '[{"input":1}]') }]);
    const rows = sql`(SELECT * FROM ${readSegment(own('rows'))})`;
    const broken = sql`(SELECT * REPLACE (CAST(error('broken') AS BIGINT) AS _superseded_by) FROM ${readSegment(own('rows'))})`;
    const compressionLevel = compressionLevels.flush;
    const content = { rowCount: 1, paths: {}, hasLargeRows: false, compressionLevel };
    const settings = { ...defaultSegmentSettings, narrowRowsMin: 1 };
    const other = { ...name, source: 2 };
    const failing = [
      { files, rows: broken },
      ...(['narrow', 'index', 'ids'] as const).map((kind) => {
        const misplaced = { [kind]: () => path.join(directory(), 'none', kind) };
        return { files: Object.assign(new SegmentFiles(directory()), misplaced), rows };
      }),
    ];
    const before = await readdir(path.dirname(own('rows')));
    for (const request of failing) {
      const writing = writeSegment(connection, { ...content, ...request, name: other, settings });
      await rejection(writing);
      expect(await readdir(path.dirname(own('rows')))).to.deep.equal(before);
    }
  });

  it('are synced, renamed and synced as an entry of their directory, in this order', async () => {
    const rows = rowsOf('e', '[{"input":1},{"input":2}]');
    const calls = await traceFiles(directory(), () => segments().write([{ xactId: 1n, rows }]));
    const files = (['rows', 'index', 'ids'] as const).map(own);
    expect(calls).to.deep.equal(files.flatMap((file) => written(path.relative(directory(), file))));
  });
});
