// Reads have their turns client by client.
import { expect } from 'chai';
import { FairQueue } from '../src/fair-queue.js';
import { rejection } from './support/rejection.js';

const full = () => new Error('too many');

/** Lets what can begin do so. */
const settle = () => new Promise(setImmediate);

describe('fair-queue', () => {
  let begun: string[];
  let ends: Map<string, () => void>;

  beforeEach(() => {
    begun = [];
    ends = new Map();
  });

  /** `client` and a number name the read. */
  async function take(turns: FairQueue, read: string, signal?: AbortSignal): Promise<void> {
    const end = await turns.take(read.charAt(0), full, signal);
    begun.push(read);
    ends.set(read, end);
  }

  async function endsOf(...reads: readonly string[]): Promise<void> {
    for (const read of reads) {
      ends.get(read)!();
      await settle();
    }
  }

  it('are given to a client with one read before the many of another', async () => {
    const turns = new FairQueue({ concurrency: 2, waitingMax: 10 });
    const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((read) => take(turns, read));
    await settle();
    expect(begun).to.deep.equal(['a1', 'a2']);
    await endsOf('a1', 'a2', 'b1', 'a3', 'a4');
    await Promise.all(all);
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('leave one free for the other client while both read', async () => {
    const turns = new FairQueue({ concurrency: 2, waitingMax: 100 });
    const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((read) => take(turns, read));
    await settle();
    await endsOf('a1', 'b1', 'a2');
    // One turn is free, and two reads of the first client wait.
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'a3']);
    all.push(take(turns, 'b2'));
    await settle();
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'a3', 'b2']);
    await endsOf('b2', 'a3', 'a4');
    await Promise.all(all);
    // Alone again, the first client has both turns after a while.
    const many = Array.from({ length: 40 }, (_, n) => `a${n + 10}`);
    all.push(...many.map((read) => take(turns, read)));
    await settle();
    expect(begun.at(-1)).to.equal('a10');
    for (const read of many) await endsOf(read);
    expect(begun.indexOf('a48')).to.be.lessThan(begun.indexOf('a49'));
    await Promise.all(all);
    const [one, other] = [take(turns, 'a60'), take(turns, 'a61')];
    await settle();
    expect(begun.slice(-2)).to.deep.equal(['a60', 'a61']);
    await endsOf('a60', 'a61');
    await Promise.all([one, other]);
  });

  it('alternate where only one read runs at a time', async () => {
    const turns = new FairQueue({ concurrency: 1, waitingMax: 10 });
    const all = ['a1', 'a2', 'a3', 'b1', 'b2'].map((read) => take(turns, read));
    await settle();
    await endsOf('a1', 'b1', 'a2', 'b2', 'a3');
    await Promise.all(all);
    expect(begun).to.deep.equal(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('are refused to the last read of the client with the most when too many wait', async () => {
    const turns = new FairQueue({ concurrency: 1, waitingMax: 2 });
    await take(turns, 'a1');
    const second = take(turns, 'a2');
    const refused = rejection(take(turns, 'a3'));
    const other = take(turns, 'b1');
    expect((await refused).message).to.equal('too many');
    expect((await rejection(take(turns, 'a4'))).message).to.equal('too many');
    expect(turns.refused).to.equal(2);
    await endsOf('a1', 'b1', 'a2');
    await Promise.all([second, other]);
    expect(begun).to.deep.equal(['a1', 'b1', 'a2']);
  });

  it('go to the next one when a read that waits is aborted, and end once', async () => {
    const turns = new FairQueue({ concurrency: 1, waitingMax: 2 });
    await take(turns, 'a1');
    const controller = new AbortController();
    const aborted = rejection(take(turns, 'b1', controller.signal));
    const next = take(turns, 'c1');
    controller.abort(new Error('left'));
    expect((await aborted).message).to.equal('left');
    const last = take(turns, 'd1');
    await endsOf('a1', 'a1');
    expect(begun).to.deep.equal(['a1', 'c1']);
    await endsOf('c1');
    await Promise.all([next, last]);
  });
});
