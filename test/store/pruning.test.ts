// What the manifest says about segments spares reading them.
import { expect } from 'chai';
import type { XactRange } from '../../src/store/event-store.js';
import { storages, storeIn } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const micros = (text: string) => BigInt(Date.parse(text)) * 1000n;

const within = (from: string | null, to: string | null): XactRange => ({
  from: null,
  to: null,
  created: { from: from === null ? null : micros(from), to: to === null ? null : micros(to) },
});

describe('segments that a read leaves out', () => {
  const directory = temporaryDirectory();
  const opened = storeIn(directory, storages['as buffered rows']);

  /** The segments that have to be read, and how many rows each is known to have. */
  async function segments(range?: XactRange, version?: bigint) {
    const snapshot = await opened().store.snapshot(version);
    const { branches } = snapshot.live(['e'], snapshot.version, range);
    await snapshot.release();
    return branches
      .filter(({ name }) => name.startsWith('segment'))
      .map(({ rowCount }) => rowCount ?? null);
  }

  it('have no row that was created within the times', async () => {
    await opened().insert('e', { id: 'a', created: '2024-01-01T00:00:00Z' });
    await opened().insert('e', { id: 'b', created: '2024-01-03T00:00:00Z' });
    await opened().insert('other', { id: 'c', created: '2025-01-01T00:00:00Z' });
    await opened().store.flush();
    expect(await segments(within(null, null))).to.have.length(1);
    expect(await segments(within('2024-01-03', null))).to.have.length(1);
    expect(await segments(within('2024-01-03T00:00:01Z', null))).to.deep.equal([]);
    expect(await segments(within(null, '2024-01-01'))).to.have.length(1);
    expect(await segments(within(null, '2023-12-31T23:59:59Z'))).to.deep.equal([]);
    expect(await segments(within('2024-01-02', '2024-01-02'))).to.have.length(1);
  });

  it('say how many rows they have while none was replaced', async () => {
    const first = await opened().insert('e', { id: 'a' }, { id: 'b' });
    const second = await opened().insert('e', { id: 'c' }, { id: 'x', _object_delete: true });
    await opened().store.flush();
    expect(await segments()).to.deep.equal([3]);
    expect(await segments(undefined, second)).to.deep.equal([3]);
    expect(await segments(undefined, first)).to.deep.equal([null]);
    const third = await opened().insert('e', { id: 'a' });
    expect(await segments()).to.deep.equal([null]);
    expect(await segments(undefined, third - 1n)).to.deep.equal([null]);
    await opened().store.flush();
    expect(await segments(undefined, third)).to.include(null);
  });
});
