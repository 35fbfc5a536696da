// Random histories of writes, held against a plain list of states: every version must read back.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { openStore, storages, type TestStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

type State = Readonly<Record<string, unknown>>;

interface Write {
  readonly kind: 'replace' | 'merge' | 'delete';
  readonly id: string;
  readonly input: Readonly<Record<string, number>>;
}

const writes = fc.record<Write>({
  kind: fc.constantFrom('replace', 'merge', 'delete'),
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  input: fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.nat(9), { maxKeys: 2 }),
});

/** Requests of one to four events; between some of them the store is opened again. */
const histories = fc.array(
  fc.record({
    events: fc.array(writes, { minLength: 1, maxLength: 4 }),
    restart: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 25 },
);

function afterWrite(state: State, { kind, id, input }: Write): State {
  const { [id]: before, ...others } = state;
  if (kind === 'delete') return others;
  const base = kind === 'merge' ? (before as object | undefined) : undefined;
  return { ...others, [id]: { ...base, ...input } };
}

const toEvent = ({ kind, id, input }: Write): object =>
  kind === 'delete' ? { id, _object_delete: true } : { id, input, _is_merge: kind === 'merge' };

async function liveAt(opened: TestStore, version: bigint): Promise<State> {
  const snapshot = await opened.store.snapshot(version);
  try {
    return await opened.live('e', snapshot);
  } finally {
    await snapshot.release();
  }
}

for (const [where, storage] of Object.entries(storages))
  describe(`histories of writes, rows ${where}`, () => {
    const directory = temporaryDirectory();

    it('read back at every version', async () => {
      let run = 0;
      const property = fc.asyncProperty(histories, async (history) => {
        const place = `${directory()}/${++run}`;
        let opened = await openStore(place, storage);
        const states: (readonly [bigint, State])[] = [];
        let state: State = {};
        for (const { events, restart } of history) {
          const xactId = await opened.insert('e', ...events.map(toEvent));
          state = events.reduce(afterWrite, state);
          states.push([xactId, state]);
          if (!restart) continue;
          await opened.close();
          opened = await openStore(place, storage);
        }
        for (const [xactId, expected] of states)
          expect(await liveAt(opened, xactId)).to.deep.equal(expected);
        await opened.close();
      });
      await fc.assert(property, { numRuns: 4 });
    });
  });
