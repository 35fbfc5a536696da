// A page that is read in many parts is the page that is read at once.
import { expect } from 'chai';
import { openServer } from '../support/hosted-server.js';
import type { TestServer } from '../support/start-server.js';

const requests = 4;
const perRequest = 20;

/** About three events. */
const smallParts = { rows: 2048, bytes: 600, dividedRows: 2048 };

/** Newest transaction first, then the greatest trace, then the last position. */
const expected = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => count - 1 - n).flatMap((request) =>
    Array.from({ length: perRequest }, (_, n) => ({ n, trace: `trace ${(n * 7) % 11}` }))
      .sort((a, b) => (a.trace === b.trace ? b.n - a.n : a.trace < b.trace ? 1 : -1))
      .map(({ n }) => `${request}/${n}`),
  );

describe('a page of many parts', () => {
  let server: TestServer;
  let id: string;

  before(async () => {
    server = await openServer({ tuning: { chunks: smallParts } });
    id = String((await server.post('/v1/project', { name: 'parts' }))['id']);
  });
  after(() => server.stop());

  async function insert(request: number): Promise<void> {
    const events = Array.from({ length: perRequest }, (_, n) => {
      // Several rows of a trace in one transaction, and long rows among short ones.
      const root = `trace ${(n * 7) % 11}`;
      const input = 'x'.repeat(n % 9 === 0 ? 2000 : n);
      return { id: `${request}/${n}`, span_id: `${request}/${n}`, root_span_id: root, input };
    });
    await server.insert(`project_logs/${id}`, events);
  }

  interface Page {
    readonly events: readonly { readonly id: string }[];
    readonly cursor: string | null;
  }

  const fetchPage = async (body: object): Promise<Page> =>
    (await server.post(`/v1/project_logs/${id}/fetch`, body)) as unknown as Page;

  async function walk(limit: number): Promise<readonly string[]> {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await fetchPage({ limit, cursor });
      ids.push(...page.events.map((event) => event.id));
      ({ cursor } = page);
    } while (cursor !== null);
    return ids;
  }

  it('has the same events in the same order, buffered and in segments', async () => {
    for (let request = 0; request < requests; request++) {
      await insert(request);
      if (request === 1) await server.settle();
    }
    const all = expected(requests);
    expect((await fetchPage({})).events.map((event) => event.id)).to.deep.equal(all);
    for (const limit of [4, 1000]) expect(await walk(limit)).to.deep.equal(all);
    await server.settle();
    expect((await fetchPage({})).events.map((event) => event.id)).to.deep.equal(all);
  });

  it('has the events that its filter leaves', async () => {
    const filters = [{ type: 'path_lookup', path: ['root_span_id'], value: 'trace 7' }];
    const wanted = expected(requests).filter((own) => (Number(own.split('/')[1]) * 7) % 11 === 7);
    const page = await fetchPage({ filters });
    expect(page.events.map((event) => event.id)).to.deep.equal(wanted);
  });
});
