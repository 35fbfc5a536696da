// Pages that end with a root_span_id that is longer than the headers which HTTP clients accept.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedServer, type Json } from '../support/start-server.js';

const long = 'x'.repeat(20_000);

/** Two transactions; the traces of one differ at their ends alone. */
const requests = [
  ['a1', 'b', 'a2'].map((end) => ({ id: end, root_span_id: long + end, input: end })),
  [
    { id: 'short', root_span_id: 's', input: 'short' },
    ...['d', 'c'].map((end) => ({ id: end, root_span_id: long + end, input: end })),
    { id: 'child of d', root_span_id: `${long}d`, span_parents: ['s'], input: 'child of d' },
  ],
];

/** Page by page, by a function of the cursor that returns the ids and the next cursor. */
async function walk(
  pageAt: (cursor: string | null) => Promise<readonly [readonly string[], unknown]>,
): Promise<readonly string[]> {
  const all: string[] = [];
  let cursor: unknown = null;
  do {
    const [ids, next] = await pageAt(cursor as string | null);
    all.push(...ids);
    cursor = next;
  } while (typeof cursor === 'string' && cursor !== '');
  return all;
}

const idsIn = (rows: unknown): readonly string[] => (rows as Json[]).map(({ id }) => id as string);

for (const [where, environment] of Object.entries({
  'buffered rows': {},
  'rows of segments': { EVALSTORE_FLUSH_ROWS: '1' },
}))
  describe(`pages of ${where} with long traces`, () => {
    const server = sharedServer({ environment });
    let experiment: string;

    before(async () => {
      experiment = (await createExperiment(server(), (await createProject(server())).id)).id;
      for (const events of requests)
        await server().post(`/v1/experiment/${experiment}/insert`, { events });
    });

    it('are walked by GET and by POST', async () => {
      const path = `/v1/experiment/${experiment}/fetch`;
      const all = idsIn((await server().get(path))['events']);
      expect(all).to.deep.equal(['child of d', 'd', 'c', 'short', 'b', 'a2', 'a1']);
      const got = await walk(async (cursor) => {
        const rest = cursor === null ? '' : `&cursor=${cursor}`;
        const page = await server().get(`${path}?limit=1${rest}`);
        return [idsIn(page['events']), page['cursor']];
      });
      expect(got).to.deep.equal(all);
      const posted = await walk(async (cursor) => {
        const page = await server().post(path, { limit: 1, cursor });
        return [idsIn(page['events']), page['cursor']];
      });
      expect(posted).to.deep.equal(all);
    });

    for (const sort of ['', ' | sort: _xact_id asc', ' | sort: input', ' | sort: input desc'])
      it(`are walked by queries, as JSON and JSON Lines${sort}`, async () => {
        const query = `select: id | from: experiment('${experiment}')${sort}`;
        const all = idsIn((await server().post('/query', { query }))['data']);
        expect(all).to.have.length(7);
        for (const fmt of ['json', 'jsonl'] as const) {
          const walked = await walk(async (cursor) => {
            const rest = cursor === null ? '' : ` | cursor: '${cursor}'`;
            const text = `${query} | limit: 1${rest}`;
            const answer = await server().request('POST', '/query', { query: text, fmt });
            const rows =
              fmt === 'json'
                ? answer.json()['data']
                : answer.text
                    .split('\n')
                    .filter((line) => line !== '')
                    .map((line) => JSON.parse(line) as Json);
            return [idsIn(rows), answer.headers.get('x-bt-cursor')];
          });
          expect(walked, fmt).to.deep.equal(all);
        }
      });

    for (const shape of ['summary', 'spans'])
      it(`are walked in the shape ${shape}`, async () => {
        const query = `select: id | from: experiment('${experiment}') ${shape}`;
        const all = idsIn((await server().post('/query', { query }))['data']);
        const walked = await walk(async (cursor) => {
          const rest = cursor === null ? '' : ` | cursor: '${cursor}'`;
          const page = await server().post('/query', { query: `${query} | limit: 1${rest}` });
          return [idsIn(page['data']), page['cursor']];
        });
        expect(walked).to.deep.equal(all);
      });
  });
