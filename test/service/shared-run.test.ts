// Work that several requests wait for.
import { expect } from 'chai';
import { SharedRun } from '../../src/service/shared-run.js';
import { rejection } from '../support/rejection.js';

/** Work that ends when it is aborted, or when `end` is called. */
function openWork() {
  const signals: AbortSignal[] = [];
  const ends: ((value: string) => void)[] = [];
  const work = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      signals.push(signal);
      ends.push(resolve);
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
  return { signals, work, end: (value: string) => ends.at(-1)!(value) };
}

describe('a shared run', () => {
  it('runs once for all who wait, and its result stays', async () => {
    const { signals, work, end } = openWork();
    const shared = new SharedRun<string>();
    const waiting = [1, 2].map(() => shared.get(new AbortController().signal, work));
    end('a');
    expect(await Promise.all(waiting)).to.deep.equal(['a', 'a']);
    expect(await shared.get(new AbortController().signal, work)).to.equal('a');
    expect(signals.length).to.equal(1);
    expect(shared.hasRun).to.equal(true);
  });

  it('is aborted when nobody waits any longer, and begins again then', async () => {
    const { signals, work, end } = openWork();
    const shared = new SharedRun<string>();
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = [first, second].map(({ signal }) => rejection(shared.get(signal, work)));
    first.abort();
    expect(signals[0]!.aborted).to.equal(false);
    second.abort();
    expect(signals[0]!.aborted).to.equal(true);
    const again = shared.get(new AbortController().signal, work);
    await Promise.all(waiting);
    end('b');
    expect(await again).to.equal('b');
    expect(signals.length).to.equal(2);
  });

  it('begins again after a failure', async () => {
    const shared = new SharedRun<string>();
    const { signal } = new AbortController();
    const error = await rejection(shared.get(signal, () => Promise.reject(new Error('failed'))));
    expect(error.message).to.equal('failed');
    expect(await shared.get(signal, async () => 'a')).to.equal('a');
  });
});
