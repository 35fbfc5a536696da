// What a client is told when a query is over a budget of the server.
import { expect } from 'chai';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

const narrowing = 'narrow it with a filter, fewer sources, fewer columns or a limit';
const numbers = (length: number) => Array.from({ length }, (_, n) => n);
const wide = Array.from({ length: 200 }, () => ({ output: 'lorem ipsum '.repeat(1000) }));

describe('a query over a budget', () => {
  const server = sharedServer({
    environment: {
      EVALSTORE_QUERY_TIMEOUT_SECONDS: '1',
      EVALSTORE_QUERY_MEMORY_MB: '100',
      EVALSTORE_QUERY_CONCURRENCY: '1',
      EVALSTORE_QUERY_QUEUE: '1',
    },
  });
  let source: string;

  before(async () => {
    const { id } = await createProject(server());
    source = `from: project_logs('${id}')`;
    const metadata = { short: numbers(100), list: numbers(1000) };
    const events = [{ id: 'lists', metadata }, ...wide];
    await server().insert(`project_logs/${id}`, events);
  });

  const ask = (query: string, fmt = 'json') =>
    server().request('POST', '/query', { query: `${query} | ${source}`, fmt });

  const short = 'metadata.short';
  const long = `measures: count(*) as n | unpivot: ${short} as a, ${short} as b, ${short} as c, ${short} as d | filter: a + b + c + d < 0`;
  const list = 'metadata.list';
  const large = `measures: percentile(a + b + c, 0.5) as half | unpivot: ${list} as a, ${list} as b, ${list} as c`;

  // Before the others: the engine keeps what it spills in the directory that is moved.
  for (const fmt of ['json', 'parquet'])
    it(`is refused when there is no room for its result, as ${fmt}`, async () => {
      // Writes the buffered rows to files.
      await ask('measures: count(1) as n');
      const temporary = path.join(server().dir, 'tmp');
      await rename(temporary, `${temporary}-away`);
      const answer = await ask('select: output', fmt);
      await rename(`${temporary}-away`, temporary);
      expect(answer.text).to.equal('the storage for temporary data is full or cannot be written');
      expect(answer.status).to.equal(503);
      const again = await ask('select: output', fmt);
      expect(again.status, again.text.slice(0, 200)).to.equal(200);
    });

  for (const fmt of ['json', 'parquet'])
    it(`of time is refused, as ${fmt}`, async () => {
      const answer = await ask(long, fmt);
      expect(answer.status).to.equal(400);
      expect(answer.text).to.equal(`the query exceeded its time budget of 1 s: ${narrowing}`);
    });

  it('of memory is refused', async () => {
    const answer = await ask(large);
    expect(answer.text).to.equal(`the query exceeded the memory budget of 100 MB: ${narrowing}`);
    expect(answer.status).to.equal(400);
  });

  it('is refused when too many wait', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(long)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).to.have.length.above(0);
    for (const { text, headers } of refused) {
      expect(text).to.equal('1 queries are waiting already, try again later');
      expect(headers.get('retry-after')).to.equal('1');
    }
    for (const { status, text } of answers)
      if (status !== 429) expect(text).to.include('time budget');
  });
});

describe('a query with more rows than an answer may have', () => {
  const server = sharedServer({ environment: { EVALSTORE_QUERY_ROWS: '3' } });
  let source: string;

  before(async () => {
    const { id } = await createProject(server());
    source = `from: project_logs('${id}')`;
    const events = [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }];
    await server().insert(`project_logs/${id}`, events);
  });

  for (const fmt of ['json', 'jsonl', 'csv', 'parquet', 'arrow']) {
    const status = async (query: string) => {
      const body = { query: `${query} | ${source}`, fmt };
      const answer = await server().request('POST', '/query', body);
      return answer.status === 200 ? 200 : [answer.status, answer.text];
    };

    it(`is refused, as ${fmt}`, async () => {
      const text =
        'the answer exceeded the budget of 3 rows: narrow the query with a filter, fewer sources or a limit';
      for (const query of ['select: id', 'select: id | limit: 4', 'dimensions: id'])
        expect(await status(query), query).to.deep.equal([400, text]);
    });

    it(`is answered when it shows no more, as ${fmt}`, async () => {
      for (const query of ['select: id | limit: 3', "select: id | filter: id != 'a'"])
        expect(await status(query), query).to.equal(200);
      expect(await status('measures: count(*) as n')).to.equal(200);
    });
  }
});
