// Clauses whose effect needs more than one statement or request, and the two names of the endpoint.
import { expect } from 'chai';
import { sharedServer, type Answer } from '../support/start-server.js';

interface Page {
  readonly data: readonly object[];
  readonly cursor?: string;
}

describe('clauses of a query', () => {
  const server = sharedServer({ environment: { EVALSTORE_FLUSH_ROWS: '7' } });
  let source: string;

  const post = (path: string, body: object): Promise<Answer> =>
    server().request('POST', path, body);

  const ask = async (text: string): Promise<Page> =>
    (await post('/query', { query: `${text} | ${source}` })).json() as unknown as Page;

  before(async () => {
    const project = (await post('/v1/project', { name: 'clauses' })).json();
    source = `from: project_logs('${String(project['id'])}')`;
    const events = Array.from({ length: 10 }, (_, number) => ({
      id: `r${number}`,
      created: `2024-01-0${1 + (number % 3)}T03:00:00Z`,
      scores: Object.fromEntries(
        Array.from({ length: number % 4 }, (_each, score) => [`s${score}`, score / 4]),
      ),
      metadata: { model: number % 2 === 0 ? 'even' : 'odd' },
      tags: number % 5 === 0 ? ['five', 'all'] : ['all'],
    }));
    const insertPath = `/v1/project_logs/${String(project['id'])}/insert`;
    await post(insertPath, { events: events.slice(0, 6) });
    await post(insertPath, { events: events.slice(6) });
  });

  for (const order of ['', ' | sort: _xact_id'])
    it(`pages of an unpivot give every row once${order}`, async () => {
      const query = `select: id, score, tag | unpivot: scores as (score, value), tags as tag${order}`;
      const expected = (await ask(query)).data;
      expect(expected).to.have.length(14);
      const seen: object[] = [];
      let cursor: string | undefined;
      do {
        const clause = cursor === undefined ? '' : ` | cursor: '${cursor}'`;
        const page: Page = await ask(`${query} | limit: 2${clause}`);
        seen.push(...page.data);
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(seen).to.deep.equal(expected);
    });

  it('a pivot makes columns of the values that the rows have', async () => {
    const answer = await ask(
      'dimensions: day(created) as day, metadata.model as model | measures: count(*) as n | pivot: n | sort: "even_n" desc, day',
    );
    expect(answer.data).to.deep.equal([
      { day: '2024-01-01T00:00:00Z', even_n: 2, odd_n: 2 },
      { day: '2024-01-03T00:00:00Z', even_n: 2, odd_n: 1 },
      { day: '2024-01-02T00:00:00Z', even_n: 1, odd_n: 2 },
    ]);
    expect(answer)
      .to.have.nested.property('schema.items.properties')
      .with.keys('day', 'even_n', 'odd_n');
  });

  it('a pivot of too many values is refused', async () => {
    const project = (await post('/v1/project', { name: 'many' })).json();
    const id = String(project['id']);
    const events = Array.from({ length: 501 }, (_, number) => ({ metadata: { number } }));
    await post(`/v1/project_logs/${id}/insert`, { events });
    const query = `dimensions: metadata.number | measures: count(*) as n | pivot: n | from: project_logs('${id}')`;
    const refused = await post('/query', { query });
    expect(refused.status).to.equal(400);
    expect(refused.text).to.equal(
      "query line 1, column 64: pivot: 'metadata.number' has more than 500 values to turn into columns: narrow the query with 'filter'",
    );
    const fewer = await post('/query', { query: `${query} | filter: metadata.number < 500` });
    expect(fewer.status).to.equal(200);
    expect(Object.keys((fewer.json()['data'] as object[])[0] ?? {})).to.have.length(500);
  });

  it('a pattern may have 10,000 characters', async () => {
    const query = `select: id | filter: id match '${'word '.repeat(1999)}' | ${source}`;
    expect((await post('/query', { query })).json()['data']).to.deep.equal([]);
  });

  it('POST /btql is POST /query', async () => {
    const query = `dimensions: day(created) as day | measures: count(*) as n | ${source}`;
    const all = await post('/query', { query });
    const version = all.headers.get('x-evalstore-version');
    const bodies = [
      { query },
      { query, tz_offset: 480 },
      { query, version },
      { query, version: '1000000000000000000' },
      { query, use_columnstore: true },
      { query, fmt: 'json', unheard_of: 1 },
      { query: 'select: id' },
      { query, fmt: 'xml' },
      {},
    ];
    const answers = new Set<string>();
    for (const body of bodies) {
      const [one, other] = [await post('/query', body), await post('/btql', body)];
      expect(other.status, JSON.stringify(body)).to.equal(one.status);
      expect(other.text, JSON.stringify(body)).to.equal(one.text);
      answers.add(one.text);
    }
    expect(answers).to.have.property('size', 6);
    const parquet = await post('/btql', { query, fmt: 'parquet' });
    expect(parquet.headers.get('content-type')).to.equal('application/vnd.apache.parquet');
    const anonymous = await server().request('POST', '/btql', { query }, { key: null });
    expect(anonymous.status).to.equal(401);
  });
});
