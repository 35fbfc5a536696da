// The public GSM8K evaluation on a server, loaded by the demo as the manual says.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { evalstore } from '../support/command-line.js';
import type { TestServer } from '../support/start-server.js';

// From dist/test/browser.
const packed = new URL(
  '../../../test/browser/gsm8k/example_model_solutions.jsonl.br',
  import.meta.url,
);

export const solutionsName = 'example_model_solutions.jsonl';

/** The file of grade-school-math. */
export const readSolutions = async (): Promise<Buffer> =>
  brotliDecompressSync(await readFile(packed));

/** Makes the project `gsm8k`: a dataset and four experiments. */
export async function loadGsm8k(server: TestServer): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'evalstore-gsm8k-'));
  try {
    const file = path.join(directory, solutionsName);
    await writeFile(file, await readSolutions());
    await promisify(execFile)(process.execPath, [evalstore, 'demo', file], {
      env: { ...process.env, EVALSTORE_URL: server.url, EVALSTORE_KEY: server.key },
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}
