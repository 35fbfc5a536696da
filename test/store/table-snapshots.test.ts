// The metadata, manifest lists and manifests of tables, as another reader of Avro sees them.
import { expect } from 'chai';
import { snapshotsMax } from '../../src/store/iceberg/metadata.js';
import {
  keysOf,
  nextSnapshot,
  type DeadRowsFile,
  type SnapshotRequest,
  type TableState,
} from '../../src/store/iceberg/snapshot.js';
import { eventColumnId } from '../../src/store/segment/field-ids.js';
import { avroContent as read } from '../support/avro-records.js';
import type { ObjectStats, Segment } from '../../src/store/segment/segment.js';

const stats: ObjectStats = {
  objectId: 'e',
  rows: 10,
  tombstones: 0,
  superseded: 0,
  minXactId: 5n,
  maxXactId: 7n,
  minCreated: 100n,
  maxCreated: 200n,
  firstRow: 0,
  lastRow: 9,
};

const segment = (source: number, more: Partial<Segment> = {}): Segment => ({
  source,
  projectId: 'p',
  firstXactId: 5n,
  lastXactId: 7n,
  rows: 10,
  bytes: 1000,
  objects: new Map([['e', stats]]),
  hasLossless: false,
  hasNarrow: false,
  hasSuperseded: false,
  paths: {},
  checksums: {},
  ...more,
});

interface Step {
  /** The numbers of dead rows by the number of their segment. */
  readonly dead?: Readonly<Record<number, number>>;
  readonly forgets?: boolean;
  readonly held?: readonly number[];
  readonly paths?: Segment['paths'];
}

/** A table that grows by snapshots. */
function table() {
  let state: TableState | null = null;
  const objects = new Map<string, Buffer>();
  return {
    objects,
    next: async (
      sources: readonly number[],
      { dead = {}, forgets = false, held = [], paths = {} }: Step = {},
    ) => {
      const number: number = (state?.metadata['last-sequence-number'] ?? 0) + 1;
      const fileOf = (source: number): DeadRowsFile | null => {
        const known = state?.segments.find((each) => each.source === source);
        const rows = dead[source];
        if (rows === undefined) return null;
        if (known?.mark === String(rows)) return known.dead;
        return { key: `iceberg/p/${number}-${source}`, rows, bytes: 50, addedBy: number };
      };
      const request: SnapshotRequest = {
        projectId: 'p',
        bucket: 's3://b/x',
        uuid: 'u',
        forgets,
        held: new Set(held),
        nowMs: 1000,
        objects: sources.map((source) => ({
          segment: segment(source, { paths }),
          key: `segments/p/${source}.parquet`,
        })),
        dead: new Map(
          sources.map((source) => [
            source,
            { mark: String(dead[source] ?? 0), dead: fileOf(source) },
          ]),
        ),
      };
      const found = await nextSnapshot(state, request);
      state = found.state;
      for (const { key, content } of found.objects) objects.set(`s3://b/x/${key}`, content);
      return found.state;
    },
  };
}

type Table = ReturnType<typeof table>;

/** What the current snapshot has. */
function filesOf({ objects }: Table, { metadata }: TableState) {
  const { 'manifest-list': list } = metadata.snapshots.at(-1)!;
  const manifests = read(objects.get(list)!).records;
  const entries = (content: number) =>
    manifests
      .filter((each) => each['content'] === content)
      .flatMap((each) => {
        const bytes = objects.get(each['manifest_path'] as string)!;
        expect(BigInt(bytes.length)).to.equal(each['manifest_length']);
        return read(bytes).records;
      }) as { status: number; sequence_number: bigint; data_file: Record<string, unknown> }[];
  return { manifests, data: entries(0), deletes: entries(1) };
}

const boundsOf = (bounds: unknown) =>
  (bounds as { key: number; value: Uint8Array }[]).map(({ key, value }) => ({
    key,
    value: new Uint8Array(value),
  }));

const leaf = (name: string): Segment['paths'] => ({
  metadata: {
    leaves: new Map([
      [
        JSON.stringify([name]),
        { number: `metadata/${name}`, string: null, boolean: null, elsewhere: null },
      ],
    ]),
    textPaths: new Set(),
    complete: true,
  },
});

describe('snapshots of a table', () => {
  it('have the data files, and the dead rows of each in one file that names it', async () => {
    const own = table();
    const state = await own.next([1, 2, 3], { dead: { 2: 4 } });
    const { data, deletes } = filesOf(own, state);
    expect(
      data.map(({ data_file: { file_path, record_count, content } }) => [
        file_path,
        record_count,
        content,
      ]),
    ).to.deep.equal([1, 2, 3].map((source) => [`s3://b/x/segments/p/${source}.parquet`, 10n, 0]));
    const path = 's3://b/x/segments/p/2.parquet';
    const bound = [{ key: 2_147_483_546, value: new Uint8Array(Buffer.from(path)) }];
    expect(deletes.map(({ data_file }) => data_file)).to.have.length(1);
    const { lower_bounds, upper_bounds, ...file } = deletes[0]!.data_file;
    expect(file).to.include({
      content: 1,
      file_path: 's3://b/x/iceberg/p/1-2',
      record_count: 4n,
      referenced_data_file: path,
      file_format: 'PARQUET',
    });
    expect(boundsOf(lower_bounds)).to.deep.equal(bound);
    expect(boundsOf(upper_bounds)).to.deep.equal(bound);
  });

  it('say between which times and transactions the rows of a file are', async () => {
    const own = table();
    const { data } = filesOf(own, await own.next([1]));
    const valuesOf = (name: string) =>
      new Map(
        (data[0]!.data_file[name] as { key: number; value: Uint8Array }[]).map(({ key, value }) => [
          key,
          Buffer.from(value).readBigInt64LE(),
        ]),
      );
    const [xact, created] = [eventColumnId('_xact_id'), eventColumnId('created')];
    expect(valuesOf('lower_bounds')).to.deep.equal(
      new Map([
        [xact, 5n],
        [created, 100n],
      ]),
    );
    expect(valuesOf('upper_bounds')).to.deep.equal(
      new Map([
        [xact, 7n],
        [created, 200n],
      ]),
    );
  });

  it('keep since when they have a file', async () => {
    const own = table();
    await own.next([1, 2], { dead: { 1: 2 } });
    const state = await own.next([1, 2, 3], { dead: { 1: 2, 2: 1 } });
    const { manifests, data, deletes } = filesOf(own, state);
    expect(data.map(({ status, sequence_number }) => [status, sequence_number])).to.deep.equal([
      [0, 1n],
      [0, 1n],
      [1, 2n],
    ]);
    expect(deletes.map(({ status, sequence_number }) => [status, sequence_number])).to.deep.equal([
      [0, 1n],
      [1, 2n],
    ]);
    expect(manifests[0]).to.include({
      added_files_count: 1,
      existing_files_count: 2,
      added_rows_count: 10n,
      existing_rows_count: 20n,
      sequence_number: 2n,
      min_sequence_number: 1n,
    });
    expect(manifests[1]).to.include({
      added_files_count: 1,
      existing_files_count: 1,
      added_rows_count: 1n,
    });
  });

  it('append if nothing but rows is new, and overwrite otherwise', async () => {
    const own = table();
    const operations: string[] = [];
    const add = async (...step: Parameters<Table['next']>) =>
      operations.push((await own.next(...step)).metadata.snapshots.at(-1)!.summary.operation);
    await add([1]);
    await add([1, 2]);
    await add([1, 2], { dead: { 1: 1 } });
    await add([1, 2, 3], { dead: { 1: 1 } });
    await add([1, 4], { dead: { 1: 1 } });
    await add([1, 4, 5], { dead: { 1: 1, 5: 1 } });
    expect(operations).to.deep.equal([
      'append',
      'append',
      'overwrite',
      'append',
      'overwrite',
      'overwrite',
    ]);
  });

  it('the last three stay, with what they need', async () => {
    const own = table();
    const states: TableState[] = [];
    for (let count = 1; count <= 5; count++)
      states.push(await own.next([count], { dead: { [count]: 1 } }));
    const { metadata, kept } = states.at(-1)!;
    expect(snapshotsMax).to.equal(3);
    expect(metadata.snapshots.map((each) => each['snapshot-id'])).to.deep.equal([3, 4, 5]);
    expect(metadata['current-snapshot-id']).to.equal(5);
    expect(metadata.snapshots[1]).to.include({ 'parent-snapshot-id': 3 });
    expect(kept.map(({ sources }) => sources)).to.deep.equal([[3], [4], [5]]);
    const keys = keysOf(states.at(-1)!);
    expect([...keys].filter((key) => /\/2[.-]/.test(key))).to.deep.equal([]);
    expect(keys)
      .to.include('iceberg/p/3-3')
      .and.include('iceberg/p/5.metadata.json')
      .and.include('iceberg/p/4-data.avro');
    const times = metadata.snapshots.map((each) => each['timestamp-ms']);
    expect(times).to.deep.equal([...new Set(times)].toSorted((a, b) => a - b));
  });

  it('one that somebody reads stays, with what it needs, unless the next one forgets', async () => {
    const own = table();
    for (let count = 1; count <= 4; count++) await own.next([count], { held: [1] });
    const { metadata, kept } = await own.next([5], { held: [1, 3] });
    expect(metadata.snapshots.map((each) => each['snapshot-id'])).to.deep.equal([1, 3, 4, 5]);
    expect(kept.map(({ sources }) => sources)).to.deep.equal([[1], [3], [4], [5]]);
    const after = await own.next([6], { held: [1], forgets: true });
    expect(after.kept.map(({ sources }) => sources)).to.deep.equal([[6]]);
  });

  it('a snapshot that forgets is the only one', async () => {
    const own = table();
    await own.next([1, 2], { paths: {} });
    const { metadata, kept } = await own.next([3], { forgets: true });
    expect(metadata.snapshots.map((each) => each['snapshot-id'])).to.deep.equal([2]);
    expect(metadata.snapshots[0]).not.to.have.property('parent-snapshot-id');
    expect(metadata['snapshot-log']).to.have.length(1);
    expect(kept).to.have.length(1);
  });

  it('a schema stays as long as a snapshot has it', async () => {
    const own = table();
    const ids = async (name: string) => {
      const { metadata } = await own.next([1], { paths: leaf(name) });
      return [
        metadata['current-schema-id'],
        metadata.schemas.map((each) => each['schema-id']),
        metadata.snapshots.map((each) => each['schema-id']),
      ];
    };
    expect(await ids('a')).to.deep.equal([0, [0], [0]]);
    expect(await ids('b')).to.deep.equal([1, [0, 1], [0, 1]]);
    expect(await ids('b')).to.deep.equal([1, [0, 1], [0, 1, 1]]);
    expect(await ids('b')).to.deep.equal([1, [1], [1, 1, 1]]);
  });

  it('the metadata says what version 2 of the format requires', async () => {
    const own = table();
    const { metadata, key } = await own.next([1]);
    expect(JSON.parse(own.objects.get(`s3://b/x/${key}`)!.toString())).to.deep.equal(
      JSON.parse(JSON.stringify(metadata)),
    );
    expect(metadata).to.include({
      'format-version': 2,
      'table-uuid': 'u',
      location: 's3://b/x/iceberg/p',
      'last-sequence-number': 1,
      'current-snapshot-id': 1,
    });
    const ids = metadata.schemas[0]!.fields.map(({ id }) => id);
    expect(metadata['last-column-id']).to.be.at.least(Math.max(...ids));
    expect(metadata.refs.main).to.deep.equal({ 'snapshot-id': 1, type: 'branch' });
    const { metadata: header } = read(own.objects.get('s3://b/x/iceberg/p/1-data.avro')!);
    expect(header).to.include({ content: 'data', 'format-version': '2', 'partition-spec-id': '0' });
  });
});
