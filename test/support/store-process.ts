// Run as a process of its own: opens a store in the directory given, inserts one row after the other without
// end, and prints each row's number once its insert is answered.
import { openStore } from './open-store.js';

const [directory = '', first = '0', concurrency = '8', step, times = '1'] = process.argv.slice(2);
let left = Number(times);

// With a step every few inserts make a segment, and the process kills itself at the step.
const dying = {
  flushRows: 10,
  compaction: { fanOut: 3 },
  hooks: {
    reached: (reached: string) => {
      if (reached === step && --left === 0) process.kill(process.pid, 'SIGKILL');
    },
  },
};

const opened = await openStore(directory, step === undefined ? {} : dying);
let next = Number(first);

async function insertForever(): Promise<never> {
  for (;;) {
    const number = next++;
    const text = 'x'.repeat(1000);
    const counted = { id: 'last', _is_merge: true, input: { [number % 7]: number } };
    const row = { id: `${number}`, input: { number, text } };
    const xactId = await opened.insert('e', row, ...(step === undefined ? [] : [counted]));
    process.stdout.write(`${number} ${xactId}\n`);
    // Inserts without a pause would keep the flushes busy, and a compaction waits for them.
    if (step !== undefined && number % 10 === 0) await opened.store.flush();
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, insertForever)).catch(
  (error: Error) => {
    process.stdout.write(`failed: ${error.message}\n`);
  },
);
await opened.close().catch((error: Error) => process.stdout.write(`failed: ${error.message}\n`));
