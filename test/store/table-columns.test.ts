// The columns of a table, from the leaf columns of its segments.
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import type { LeafColumns, SegmentPaths } from '../../src/schema/event-relation.js';
import {
  lastIdOf,
  tableColumns,
  type Field,
  type WithPaths,
} from '../../src/store/iceberg/columns.js';
import { leafColumnsOf, leafId } from '../../src/store/segment/field-ids.js';
import { mergePaths } from '../../src/store/segment/merged-paths.js';
import { rowsOf, segmentsIn } from '../support/open-segments.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const none: LeafColumns = { number: null, string: null, boolean: null, elsewhere: null };

/** A segment whose leaves below `metadata` have these names. */
function segment(leaves: Readonly<Record<string, Partial<LeafColumns>>>, rows = 1): WithPaths {
  const byKey = Object.entries(leaves).map(
    ([path, names]) => [JSON.stringify(path.split('/')), { ...none, ...names }] as const,
  );
  const metadata = { leaves: new Map(byKey), textPaths: new Set<string>(), complete: true };
  return { paths: { metadata } satisfies SegmentPaths, rows };
}

const leafFields = (segments: readonly WithPaths[], before: readonly Field[] = []) =>
  tableColumns(segments, before).fields.filter(({ name }) => name.includes('/'));

const typesOf = (fields: readonly Field[]) =>
  Object.fromEntries(fields.map(({ name, type }) => [name, type]));

const idsOf = (fields: readonly Field[]) =>
  Object.fromEntries(fields.map(({ name, id }) => [name, id]));

const number = segment({ n: { number: 'metadata/n' } });
const text = segment({ n: { string: 'metadata/n' } }, 2);

describe('columns of a table', () => {
  it('are those of events, without the ones that engines reserve and those of the store', () => {
    const { fields } = tableColumns([], []);
    const types = typesOf(fields);
    expect(types).to.include({
      id: 'string',
      _xact_id: 'long',
      created: 'timestamp',
      is_root: 'boolean',
      metadata: 'string',
    });
    expect(types['tags']).to.include({ type: 'list', element: 'string' });
    const reserved = [
      '_deleted',
      '_file',
      '_pos',
      '_spec_id',
      '_partition',
      '_row_id',
      '_last_updated_sequence_number',
    ];
    expect(types).not.to.have.any.keys(...reserved, '_row', '_superseded_by', '_input_hash');
  });

  it('have ids of their own, also the elements of lists', () => {
    const { fields, mapping } = tableColumns([number, text], []);
    const ids = [
      ...fields.map(({ id }) => id),
      ...fields.flatMap(({ type }) => (typeof type === 'string' ? [] : [type['element-id']])),
    ];
    expect(new Set(ids).size).to.equal(ids.length);
    expect(lastIdOf(fields)).to.equal(Math.max(...ids));
    const mapped = mapping.map((entry) => entry['field-id']);
    expect(new Set(mapped).size).to.equal(mapped.length);
  });

  it('a path with several types has one for each type, and the type of most rows the plain name', () => {
    const fields = leafFields([number, text]);
    expect(typesOf(fields)).to.deep.equal({ 'metadata/n': 'string', 'metadata/n~2': 'double' });
    const elsewhere = segment({
      n: { number: 'metadata/n', boolean: 'metadata/n~2', elsewhere: 'metadata/n~elsewhere' },
    });
    expect(typesOf(leafFields([elsewhere]))).to.have.all.keys(
      'metadata/n',
      'metadata/n~2',
      'metadata/n~elsewhere',
    );
  });

  it('keep their names and ids whatever segments follow', () => {
    const before = leafFields([number]);
    const after = leafFields([text, text, number], before);
    expect(typesOf(before)).to.deep.equal({ 'metadata/n': 'double' });
    expect(typesOf(after)).to.deep.equal({ 'metadata/n': 'double', 'metadata/n~2': 'string' });
    expect(idsOf(after)['metadata/n']).to.equal(idsOf(before)['metadata/n']);
  });

  it('leave the table with the last segment that has them, and come back with their id', () => {
    const before = leafFields([number, text]);
    expect(leafFields([text], before)).to.have.length(1);
    expect(idsOf(leafFields([text, number], leafFields([text])))).to.deep.equal(
      Object.fromEntries([
        ['metadata/n', before[0]!.id],
        ['metadata/n~2', before[1]!.id],
      ]),
    );
  });

  it('do not differ by case alone', () => {
    const cases = segment({
      model: { string: 'metadata/model' },
      Model: { string: 'metadata/Model~2' },
      MODEL: { string: 'metadata/MODEL~3' },
    });
    const names = leafFields([cases]).map(({ name }) => name.toLowerCase());
    expect(new Set(names).size).to.equal(3);
    const other = leafFields([segment({ MODEL: { string: 'metadata/MODEL' } })]);
    expect(leafFields([cases], other).find(({ name }) => name === 'metadata/MODEL')).to.deep.equal(
      other[0],
    );
  });

  it('two columns with one id are no columns', () => {
    const steps = collision();
    const both = segment(
      Object.fromEntries(steps.map((step) => [step, { number: `metadata/${step}` }])),
    );
    expect(leafColumnsOf(both.paths)).to.have.length(2);
    expect(leafFields([both])).to.deep.equal([]);
    const apart = steps.map((step) => segment({ [step]: { number: `metadata/${step}` } }));
    expect(leafFields(apart)).to.deep.equal([]);
  });

  it('are mapped from every name in the files, and a name of several columns from none', () => {
    const merged = segment({ n: { number: 'metadata/n~2', string: 'metadata/n' } });
    const { fields, mapping } = tableColumns(
      [number, merged, segment({ m: { string: 'metadata/m' } })],
      [],
    );
    const ids = new Map(
      mapping.flatMap(({ names, 'field-id': id }) => names.map((name) => [name, id] as const)),
    );
    const known = idsOf(fields);
    expect(ids.get('metadata/m')).to.equal(known['metadata/m']);
    expect(ids.get('metadata/n~2')).to.equal(leafId('metadata', '["n"]', 'number'));
    expect(Object.values(known)).not.to.include(ids.get('metadata/n'));
    expect(ids.get('metadata/n')).to.be.a('number');
    expect(mapping.find(({ names }) => names.includes('tags'))?.fields?.[0]?.names).to.deep.equal([
      'element',
    ]);
  });
});

/** Two steps whose numbers have the same id. */
function collision(): readonly string[] {
  const known = new Map<number, string>();
  for (let index = 0; ; index++) {
    const id = leafId('metadata', JSON.stringify([`k${index}`]), 'number');
    const other = known.get(id);
    if (other !== undefined) return [other, `k${index}`];
    known.set(id, `k${index}`);
  }
}

describe('ids in row files', () => {
  const directory = temporaryDirectory();
  const segments = segmentsIn(directory);

  const write = async (events: string) => {
    const stats = await segments().write([{ xactId: 10n, rows: rowsOf('e', events) }]);
    const columns = await segments().connection.read(
      sql`SELECT name, field_id FROM parquet_schema(${segments().files.rows(segments().name)})`,
    );
    return { stats, ids: new Map(columns.map((row) => [row['name'] as string, row['field_id']])) };
  };

  it('every column has the id that tables know it by, and tables map every column', async () => {
    const { stats, ids } = await write(
      '[{"metadata":{"n":1,"Model":"x","model":"y"},"tags":["a"]},{"metadata":{"n":"1","o":[1],"p":{"q":true}}},{"metadata":{"o":2}}]',
    );
    const { fields, mapping } = tableColumns([stats], []);
    for (const { name, id } of leafColumnsOf(stats.paths))
      expect(ids.get(name)).to.equal(BigInt(id));
    for (const { name, id } of fields.filter((field) => !field.name.includes('/')))
      expect(ids.get(name), name).to.equal(BigInt(id));
    const mapped = new Set(mapping.flatMap(({ names }) => names));
    const structure = ['duckdb_schema', 'list', 'element'];
    expect([...ids.keys()].filter((name) => !mapped.has(name))).to.have.members(structure);
    for (const [name, id] of ids) if (!structure.includes(name)) expect(id, name).to.be.a('bigint');
    expect(fields.map(({ name }) => name)).to.include.members([
      'metadata/n',
      'metadata/n~2',
      'metadata/o~elsewhere',
      'metadata/p/q',
    ]);
  });

  it('a file in which two columns have one id has none', async () => {
    const [first, second] = collision();
    const { ids } = await write(JSON.stringify([{ metadata: { [first!]: 1, [second!]: 2 } }]));
    expect(ids.get(`metadata/${first}`)).to.equal(null);
    expect(ids.get('id')).to.equal(null);
  });

  it('are the same in a merged segment, whatever its columns are called', () => {
    const { paths } = mergePaths([number, text] as Parameters<typeof mergePaths>[0], 150);
    const ids = leafColumnsOf(paths).map(({ id }) => id);
    expect(ids).to.include.members(
      [number, text].flatMap((each) => leafColumnsOf(each.paths).map(({ id }) => id)),
    );
  });
});
