// Requests that build on many large events.
import { expect } from 'chai';
import { RefusedEvents } from '../../src/event/refused-events.js';
import { openStore, storeIn, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const refusal =
  /: the events of the request build on more than 2 MB of stored events; send fewer in one request$/;

/** The ids and indexes of the refused events. */
const namesOf = (error: unknown) => {
  expect(error).to.be.instanceOf(RefusedEvents);
  return (error as RefusedEvents).refused.map(({ event, index }) => [event.id, index]);
};

const merge = (id: string) => ({ id, _is_merge: true, input: { n: 1 } });

describe('a request that builds on many large events', () => {
  const directory = temporaryDirectory();

  const ids = ['a', 'b', 'c', 'd', 'e'];
  let opened: TestStore;

  beforeEach(async () => {
    // Events have at most 0.5 MB.
    opened = await openStore(directory(), { writerMemoryMb: 256, maintenanceMemoryMb: 8 });
  });
  afterEach(() => opened.close());

  async function fill(flushed: readonly string[]): Promise<void> {
    for (const id of ids) {
      await opened.insert('e', { id, input: { text: 'x'.repeat(500_000) } });
      if (flushed.includes(id)) await opened.store.flush();
    }
  }

  const refusedOf = async (...events: readonly object[]): Promise<unknown> => {
    try {
      return await opened.insert('e', ...events);
    } catch (error) {
      return error;
    }
  };

  for (const storage of ['buffered rows', 'a segment'])
    it(`is refused as a whole, and a smaller one is stored: ${storage}`, async () => {
      await fill(storage === 'a segment' ? ['e'] : []);
      const refused = await refusedOf(...ids.map(merge));
      expect(refused).to.be.an('error').with.property('message').that.matches(refusal);
      expect(refused).to.have.property('status', 400);
      expect(namesOf(refused)).to.deep.equal([['e', 4]]);
      expect((await opened.live('e'))['a']).to.not.have.property('n');
      await opened.insert('e', ...ids.slice(1).map(merge));
      const live = await opened.live('e');
      expect(live['a']).to.not.have.property('n');
      expect(live['e']).to.have.property('n', 1);
    });

  it('refuses only what builds on rows beyond the limit, in one segment or in several', async () => {
    await fill(['b', 'e']);
    const refused = await refusedOf(
      { id: 'new', input: 1 },
      { id: 'child', _parent_id: 'e' },
      ...ids.toReversed().map(merge),
      merge('e'),
      { id: 'e', input: 1 },
      merge('e'),
      { id: 'd', _object_delete: true },
    );
    expect(namesOf(refused)).to.deep.equal([
      ['child', 1],
      ['e', 2],
      ['e', 7],
    ]);
  });
});

describe('a request that is too large for the log after its merges', () => {
  const opened = storeIn(temporaryDirectory(), {
    maintenanceMemoryMb: 8,
    requestBytesMax: 600_000,
  });

  it('is refused alone, and the requests that wait with it are stored', async () => {
    for (const id of ['a', 'b']) await opened().insert('e', { id, input: { x: 'é'.repeat(1e5) } });
    for (const id of ['c', 'd']) await opened().insert('e', { id, input: { x: 'x'.repeat(2e5) } });
    const [refused, , , quoted] = await Promise.all([
      rejection(opened().insert('e', ...['a', 'b', 'c'].map(merge))),
      opened().insert('e', { id: 'before' }),
      opened().insert('e', merge('a'), merge('c')),
      rejection(opened().insert('e', merge('d'), { id: 't', tags: ['\u0001'.repeat(7e4)] })),
      opened().insert('e', { id: 'after' }),
    ]);
    expect(refused).to.include({
      status: 413,
      message:
        'the events of the request together are larger after their merges than the limit of 0.58 MB',
    });
    expect(quoted).to.have.property('message', refused.message);
    const live = await opened().live('e');
    expect(Object.keys(live)).to.deep.equal(['a', 'after', 'b', 'before', 'c', 'd']);
    for (const id of ['a', 'c']) expect(live[id]).to.have.property('n', 1);
    for (const id of ['b', 'd']) expect(live[id]).to.not.have.property('n');
  });
});
