// Run as a process of its own: opens a store in the directory given, inserts one row after the other without
// end, and prints each row's number once its insert is answered.
import { openStore } from './open-store.js';

const [directory = '', first = '0', concurrency = '8'] = process.argv.slice(2);
const opened = await openStore(directory);
let next = Number(first);

async function insertForever(): Promise<never> {
  for (;;) {
    const number = next++;
    const text = 'x'.repeat(1000);
    const xactId = await opened.insert('e', { id: `${number}`, input: { number, text } });
    process.stdout.write(`${number} ${xactId}\n`);
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, insertForever)).catch(
  (error: Error) => {
    process.stdout.write(`failed: ${error.message}\n`);
  },
);
await opened.close().catch((error: Error) => process.stdout.write(`failed: ${error.message}\n`));
