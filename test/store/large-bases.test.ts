// Requests that build on many large events.
import { expect } from 'chai';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const refusal =
  /: the events of the request build on more than 2 MB of stored events; send fewer in one request$/;

const merge = (id: string) => ({ id, _is_merge: true, input: { n: 1 } });

describe('a request that builds on many large events', () => {
  const directory = temporaryDirectory();

  for (const storage of ['buffered rows', 'a segment'])
    it(`is refused as a whole, and a smaller one is stored: ${storage}`, async () => {
      // Events have at most 0.5 MB.
      const opened = await openStore(directory(), { writerMemoryMb: 256, maintenanceMemoryMb: 8 });
      try {
        const ids = ['a', 'b', 'c', 'd', 'e'];
        for (const id of ids)
          await opened.insert('e', { id, input: { text: 'x'.repeat(500_000) } });
        if (storage === 'a segment') await opened.store.flush();
        const refused = await opened
          .insert('e', ...ids.map(merge))
          .catch((error: unknown) => error);
        expect(refused).to.be.an('error').with.property('message').that.matches(refusal);
        expect(refused).to.have.property('status', 400);
        expect((await opened.live('e'))['a']).to.not.have.property('n');
        await opened.insert('e', ...ids.slice(1).map(merge));
        const live = await opened.live('e');
        expect(live['a']).to.not.have.property('n');
        expect(live['e']).to.have.property('n', 1);
      } finally {
        await opened.close();
      }
    });
});
