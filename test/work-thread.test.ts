// A thread for long computations: what it answers, and what happens when it dies or nobody waits for it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { WorkThread } from '../src/work-thread.js';
import type { Told } from './support/answering-thread.js';

const entry = new URL('support/answering-thread.js', import.meta.url);
const open = new AbortController().signal;
const client = 'a';

const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    const { name, code, message } = error as NodeJS.ErrnoException;
    return name === 'AbortError' ? name : (code ?? message);
  });

/** The outcomes of works that are given to one thread at once. */
function outcomes(...told: readonly Told[]): Promise<readonly unknown[]> {
  const thread = new WorkThread(entry, { maxOldGenerationSizeMb: 16 });
  return Promise.all(
    told.map((each) => outcomeOf(thread.run({ client, argument: [each], signal: open }))),
  );
}

describe('a thread for long work', () => {
  it('does one work after the other', async () => {
    expect(await outcomes('answer', 'answer', 'answer')).to.deep.equal([1, 2, 3]);
  });

  it('does the work of clients in turns', async () => {
    const thread = new WorkThread(entry);
    const clients = ['a', 'a', 'a', 'b'];
    const works = clients.map((each) =>
      thread.run({ client: each, argument: ['answer'], signal: open }),
    );
    expect(await Promise.all(works)).to.deep.equal([1, 3, 4, 2]);
  });

  const deaths = [
    ['end', 'the thread ended with code 3'],
    ['fail', 'as told'],
    ['fill the memory', 'ERR_WORKER_OUT_OF_MEMORY'],
  ] as const;
  for (const [told, reason] of deaths)
    it(`fails no other work when it is told to ${told}`, async () => {
      expect(await outcomes('answer', told, 'answer', 'answer')).to.deep.equal([1, reason, 1, 2]);
    });

  it('ends when nobody waits for the work that it does', async () => {
    const thread = new WorkThread(entry);
    const leaving = new AbortController();
    const left = outcomeOf(thread.run({ client, argument: ['nothing'], signal: leaving.signal }));
    const next = outcomeOf(thread.run({ client, argument: ['answer'], signal: open }));
    leaving.abort();
    expect(await left).to.equal('AbortError');
    expect(await next).to.equal(1);
  });

  it('takes nothing of work that nobody waits for any more', async () => {
    const thread = new WorkThread(entry);
    const leaving = new AbortController();
    const first = thread.run({ client, argument: ['answer'], signal: open });
    const { buffer } = new Uint8Array(10);
    const argument = ['answer', buffer];
    const left = outcomeOf(
      thread.run({ client, argument, moved: [buffer], signal: leaving.signal }),
    );
    leaving.abort();
    expect(await first).to.equal(1);
    expect(await left).to.equal('AbortError');
    expect(buffer.byteLength).to.equal(10);
    expect(await thread.run({ client, argument: ['answer'], signal: open })).to.equal(2);
  });

  it('moves buffers', async () => {
    const { buffer } = new Uint8Array(10);
    const thread = new WorkThread(entry);
    await thread.run({ client, argument: ['answer', buffer], moved: [buffer], signal: open });
    expect(buffer.byteLength).to.equal(0);
  });

  it('does not keep the process alive', async () => {
    const module = JSON.stringify(new URL('../src/work-thread.js', import.meta.url).href);
    const program = `const { WorkThread } = await import(${module});
      const thread = new WorkThread(new URL(${JSON.stringify(entry.href)}));
      const signal = new AbortController().signal;
      process.exitCode = await thread.run({ client: '', argument: ['answer'], signal });`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
    expect(await once(child, 'exit')).to.deep.equal([1, null]);
  });
});
