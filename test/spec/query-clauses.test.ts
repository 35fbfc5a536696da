// Clauses whose effect needs more than one statement or request, and the two names of the endpoint.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';

const inTrace = (id: string) => ({ id, root_span_id: 't' });

describe('clauses of a query', () => {
  const server = sharedServer({ environment: { EVALSTORE_FLUSH_ROWS: '7' } });
  let source: string;

  const post = (path: string, body: object) => server().request('POST', path, body);

  const ask = (text: string) => server().query(`${text} | ${source}`);

  before(async () => {
    const { id } = await createProject(server());
    source = `from: project_logs('${id}')`;
    const events = Array.from({ length: 10 }, (_, number) => ({
      id: `r${number}`,
      created: `2024-01-0${1 + (number % 3)}T03:00:00Z`,
      scores: Object.fromEntries(
        Array.from({ length: number % 4 }, (_each, score) => [`s${score}`, score / 4]),
      ),
      metadata: { model: number % 2 === 0 ? 'even' : 'odd' },
      tags: number % 5 === 0 ? ['five', 'all'] : ['all'],
    }));
    await server().insert(`project_logs/${id}`, events.slice(0, 6));
    await server().insert(`project_logs/${id}`, events.slice(6));
  });

  for (const order of ['', ' | sort: _xact_id'])
    it(`pages of an unpivot give every row once${order}`, async () => {
      const query = `select: id, score, tag | unpivot: scores as (score, value), tags as tag${order}`;
      const expected = await ask(query);
      expect(expected).to.have.length(14);
      const seen: object[] = [];
      for await (const page of server().pages(`${query} | limit: 2 | ${source}`))
        seen.push(...page);
      expect(seen).to.deep.equal(expected);
    });

  it('a pivot makes columns of the values that the rows have', async () => {
    const clauses =
      'dimensions: day(created) as day, metadata.model as model | measures: count(*) as n | pivot: n | sort: "even_n" desc, day';
    const answer = await server().post('/query', { query: `${clauses} | ${source}` });
    expect(answer['data']).to.deep.equal([
      { day: '2024-01-01T00:00:00Z', even_n: 2, odd_n: 2 },
      { day: '2024-01-03T00:00:00Z', even_n: 2, odd_n: 1 },
      { day: '2024-01-02T00:00:00Z', even_n: 1, odd_n: 2 },
    ]);
    expect(answer)
      .to.have.nested.property('schema.items.properties')
      .with.keys('day', 'even_n', 'odd_n');
  });

  it('a standard deviation is the same in any order of the rows', async () => {
    const numbers = Array.from({ length: 20 }, (_, number) => number * 0.1);
    const deviations: unknown[] = [];
    for (const order of [numbers, numbers.toReversed()]) {
      const { id } = await createProject(server());
      await server().insert(
        `project_logs/${id}`,
        order.map((input) => ({ input })),
      );
      const query = `measures: stddev(input) as deviation | from: project_logs('${id}')`;
      deviations.push(...(await server().query(query)));
    }
    expect(deviations).to.deep.equal([{ deviation: 0.59160797831 }, { deviation: 0.59160797831 }]);
  });

  it('a limit of traces takes the trace with the newest row', async () => {
    const { id } = await createProject(server());
    const [first, second] = [
      (await createExperiment(server(), id)).id,
      (await createExperiment(server(), id)).id,
    ];
    // An older row of the first trace has the greatest position inside its transaction.
    await server().insert(`experiment/${first}`, [{}, {}, {}, inTrace('older')]);
    await server().post('/v1/insert', {
      experiment: {
        [first]: { events: [inTrace('newer')] },
        [second]: { events: [inTrace('newest')] },
      },
    });
    const query = `select: id | from: experiment('${first}', '${second}')`;
    const [newest] = await server().query(`${query} | limit: 1`);
    expect(newest).to.deep.equal({ id: 'newest' });
    expect(await server().query(`${query} traces | limit: 1`)).to.deep.equal([newest]);
  });

  it('a pivot of too many values is refused', async () => {
    const { id } = await createProject(server());
    const events = Array.from({ length: 501 }, (_, number) => ({ metadata: { number } }));
    await server().insert(`project_logs/${id}`, events);
    const query = `dimensions: metadata.number | measures: count(*) as n | pivot: n | from: project_logs('${id}')`;
    expect(await outcome(post('/query', { query }))).to.deep.equal([
      400,
      "query line 1, column 64: pivot: 'metadata.number' has more than 500 values to turn into columns: narrow the query with 'filter'",
    ]);
    const [fewer = {}] = await server().query(`${query} | filter: metadata.number < 500`);
    expect(Object.keys(fewer)).to.have.length(500);
  });

  it('a pattern may have 10,000 characters', async () => {
    expect(await ask(`select: id | filter: id match '${'word '.repeat(1999)}'`)).to.deep.equal([]);
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
