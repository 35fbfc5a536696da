// Walking pages while another client writes: the walk shows the snapshot of its first page, no more, no less.
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { outcome, sharedServer } from '../support/start-server.js';

interface Event {
  readonly id: string;
  readonly _xact_id: string;
  readonly metadata: { readonly state: string };
}

interface Page {
  readonly events: readonly Event[];
  readonly cursor: string | null;
}

const requests = 60;
const eventsPerRequest = 4;

describe('a walk of fetch beside writes', () => {
  const server = sharedServer();
  let logs: string;

  const insert = (events: readonly object[]) =>
    server()
      .request('POST', `${logs}/insert`, { events })
      .then((answer) => answer.json());

  const fetchPage = async (cursor: string | null): Promise<Page> => {
    const answer = await server().request('POST', `${logs}/fetch`, { limit: 4, cursor });
    return answer.json() as unknown as Page;
  };

  before(async () => {
    const { id: projectId } = await createProject(server());
    logs = `/v1/project_logs/${projectId}`;
    for (let request = 0; request < requests; request++)
      await insert(
        Array.from({ length: eventsPerRequest }, (_, index) => ({
          id: `r${request}-${index}`,
          metadata: { state: 'first' },
        })),
      );
  });

  /** Inserts, replaces, merges and deletes rows that the walk has not reached yet. */
  async function disturb(step: number): Promise<void> {
    const row = `r${step % requests}`;
    await insert([
      { id: `new-${step}`, metadata: { state: 'new' } },
      { id: `${row}-0`, metadata: { state: 'replaced' } },
      { id: `${row}-1`, _is_merge: true, metadata: { state: 'merged' } },
      { id: `${row}-2`, _object_delete: true },
    ]);
  }

  it('a page may be of any size', async () => {
    const { events } = await fetchPage(null);
    for (const limit of ['9007199254740993', '9223372036854775808', '1e30', '1e308']) {
      const answer = await server().request('POST', `${logs}/fetch`, `{"limit":${limit}}`);
      const page = answer.json() as unknown as Page;
      expect(page.events, limit).to.have.length(requests * eventsPerRequest);
      expect(page.events.slice(0, events.length)).to.deep.equal(events);
      expect(page.cursor).to.equal(null);
    }
    expect(
      await outcome(server().request('POST', `${logs}/fetch`, '{"limit":1e400}')),
    ).to.deep.equal([
      400,
      'limit: expected an integer of at least 0 or null, got a number beyond all doubles',
    ]);
  });

  it('at least 50 pages give exactly the rows of the first snapshot, each once', async () => {
    const seen: Event[] = [];
    let pages = 0;
    let cursor: string | null = null;
    do {
      const page: Page = await fetchPage(cursor);
      seen.push(...page.events);
      cursor = page.cursor;
      await disturb(pages++);
    } while (cursor !== null);
    expect(pages).to.be.at.least(50);
    expect(seen.map(({ metadata }) => metadata.state)).to.satisfy((states: string[]) =>
      states.every((state) => state === 'first'),
    );
    expect(new Set(seen.map(({ id }) => id)).size).to.equal(seen.length);
    expect(seen.length).to.equal(requests * eventsPerRequest);
    const order = seen.map(({ _xact_id }) => _xact_id);
    expect(order).to.deep.equal(order.toSorted().reverse());
  });
});
