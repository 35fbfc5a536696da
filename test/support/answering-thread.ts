// A thread that does what each message says.
import { parentPort } from 'node:worker_threads';

export type Told = 'answer' | 'end' | 'fail' | 'fill the memory' | 'nothing';

const port = parentPort!;
let messages = 0;

const actions: Readonly<Record<Told, () => void>> = {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows, not of threads
  answer: () => port.postMessage(messages),
  end: () => process.exit(3),
  fail: () => {
    throw new Error('as told');
  },
  'fill the memory': () => {
    const kept: unknown[][] = [];
    for (;;) kept.push(Array.from({ length: 1000 }, () => ({})));
  },
  nothing: () => {},
};

port.on('message', ([told]: readonly [Told]) => {
  messages += 1;
  actions[told]();
});
