// The types that a request gives to columns of Parquet and Arrow.
import { tableFromIPC } from 'apache-arrow';
import { expect } from 'chai';
import { parquetMetadata } from 'hyparquet';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

describe('types of columns', () => {
  const server = sharedServer();
  let source: string;

  before(async () => {
    const { id } = await createProject(server());
    source = `from: project_logs('${id}')`;
    const events = ['1', '9007199254740993', '"text"', '0.5'].map(
      (n, index) => `{"id":"${index}","metadata":{"n":${n},"a b":[1]},"tags":["x"]}`,
    );
    await server().request(
      'POST',
      `/v1/project_logs/${id}/insert`,
      `{"events":[${events.join()}]}`,
    );
  });

  const ask = (query: string, more: object, where = '/query') =>
    fetch(`${server().url}${where}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server().key}` },
      body: JSON.stringify({ query: `${query} | ${source}`, ...more }),
    });

  it('are in the request: a value that does not fit is null and is counted', async () => {
    const query = 'select: metadata.n as n, metadata.n is null as none | sort: id';
    const types = { 'metadata.n': 'bigint' };
    const arrow = await ask(query, { fmt: 'arrow', types });
    expect(arrow.headers.get('x-evalstore-misfits')).to.equal('2');
    const table = tableFromIPC(new Uint8Array(await arrow.arrayBuffer()));
    expect(table.schema.fields.map(({ type }) => String(type))).to.deep.equal(['Int64', 'Bool']);
    expect([...table.getChild('n')!]).to.deep.equal([1n, 9007199254740993n, null, null]);
    const parquet = await ask(query, { fmt: 'parquet', types });
    expect(parquet.headers.get('x-evalstore-misfits')).to.equal('2');
    const { schema } = parquetMetadata(await parquet.arrayBuffer());
    expect(schema[1]).to.include({ name: 'n', type: 'INT64' });
  });

  it('say which texts are JSON, and which columns are lists', async () => {
    const query = 'select: metadata.n as n, tags, id, metadata["a b"] as l';
    const { schema } = parquetMetadata(await (await ask(query, { fmt: 'parquet' })).arrayBuffer());
    const columns = schema.map((each) => [each.name, each.converted_type]);
    expect(columns).to.deep.include.members([
      ['n', 'JSON'],
      ['tags', 'LIST'],
      ['id', 'UTF8'],
      ['l', 'JSON'],
    ]);
    const arrow = await (await ask(query, { fmt: 'arrow' })).arrayBuffer();
    const fields = tableFromIPC(new Uint8Array(arrow)).schema.fields.map(({ metadata, type }) => [
      String(type),
      metadata.get('ARROW:extension:name'),
    ]);
    expect(fields).to.deep.equal([
      ['Utf8', 'arrow.json'],
      ['List<Utf8>', undefined],
      ['Utf8', undefined],
      ['Utf8', 'arrow.json'],
    ]);
  });

  const refusals: readonly (readonly [object, string])[] = [
    [
      { types: { 'metadata.n': 'bigint' } },
      'types: only the formats parquet and arrow have types, not json',
    ],
    [{ fmt: 'csv', types: {} }, 'types: only the formats parquet and arrow have types, not csv'],
    [
      { fmt: 'arrow', types: { 'metadata.m': 'bigint' } },
      'types: no column of the query has the path metadata.m',
    ],
    [
      { fmt: 'arrow', types: { 'metadata.n +': 'bigint' } },
      'types: "metadata.n +" is not a path such as metadata.n',
    ],
    [
      { fmt: 'arrow', types: { 'len(tags)': 'bigint' } },
      'types: "len(tags)" is not a path such as metadata.n',
    ],
    [{ fmt: 'arrow', types: { nowhere: 'json' } }, 'types: nowhere: there is no field nowhere'],
    [
      { fmt: 'arrow', types: { tags: 'json' } },
      'types: tags: only paths of JSON can be given a type, and tags has one',
    ],
  ];

  for (const [more, message] of refusals)
    it(`are refused: ${message}`, async () => {
      for (const where of ['/query', '/query/download']) {
        const answer = await ask('select: metadata.n as n, tags', more, where);
        expect(answer.status).to.equal(400);
        expect(await answer.text()).to.include(message);
      }
    });

  it('are one of six names', async () => {
    const answer = await ask('select: metadata.n', {
      fmt: 'arrow',
      types: { 'metadata.n': 'int' },
    });
    expect(answer.status).to.equal(400);
    expect(await answer.text()).to.include('types.metadata.n');
  });
});
