// Which of the requests that wait together are committed first.
import { expect } from 'chai';
import { rejection } from '../support/rejection.js';
import { decodeEvents } from '../support/decode-events.js';
import { experiment, storeIn } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const events = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => ({ id: `${prefix} ${n}` }));

const one = (id: string) => [
  {
    object: experiment('e'),
    events: decodeEvents('experiment', JSON.stringify({ events: [{ id }] })),
  },
];

const inOrder = (xactIds: readonly bigint[]) =>
  expect(xactIds).to.deep.equal(xactIds.toSorted((a, b) => Number(a - b)));

describe('requests that wait for a commit', () => {
  const directory = temporaryDirectory();
  const opened = storeIn(directory);

  it('with few events go before those with many', async () => {
    const before = opened().insert('e', { id: 'first' });
    const [large, small, none] = await Promise.all([
      opened().insert('e', ...events(100, 'row')),
      opened().insert('e', { id: 'single' }),
      opened().insert('e', ...events(17, 'row')),
    ]);
    inOrder([await before, small, large, none]);
    expect(Object.keys(await opened().live('e'))).to.have.length(102);
  });

  it('with many events are committed one at a time while others with few come', async () => {
    const before = opened().insert('e', { id: 'first' });
    const small = opened().insert('e', { id: 'small' });
    const large = [
      opened().insert('e', ...events(100, 'a')),
      opened().insert('e', ...events(100, 'b')),
    ];
    await small;
    const next = await opened().insert('e', { id: 'next' });
    const [a = 0n, b = 0n] = await Promise.all(large);
    inOrder([await before, await small, a, next, b]);
  });

  it('are checked when it is their turn, and refused alone', async () => {
    let isOpen = true;
    const checkBeforeCommit = () => {
      if (!isOpen) throw new Error('closed');
    };
    const { store } = opened();
    const inserts = [
      store.insert(one('first'), { checkBeforeCommit }),
      rejection(store.insert(one('second'), { checkBeforeCommit })),
      store.insert(one('third')),
    ];
    isOpen = false;
    const refused = rejection(inserts[0]!);
    await inserts[2];
    expect(await refused).to.have.property('message', 'closed');
    expect(await inserts[1]).to.have.property('message', 'closed');
    expect(Object.keys(await opened().live('e'))).to.deep.equal(['third']);
  });
});
