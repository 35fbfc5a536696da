// Runs a program that uses a published client, in a process of its own that knows nothing but the address and the key.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { TestServer } from '../support/start-server.js';

export interface Ran {
  /** What the program reported. */
  readonly result: Readonly<Record<string, unknown>>;
  /** Everything it wrote beside that. */
  readonly output: string;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

const resultMark = 'RESULT ';

/** @throws Error with the program's output when it fails */
export async function runProgram(server: TestServer, name: string): Promise<Ran> {
  // They are not compiled: the types of these packages would change those of everything else.
  const program = path.join(root, `test/clients/programs/${name}.mjs`);
  const child = spawn(process.execPath, [program], {
    env: {
      BRAINTRUST_API_URL: server.url,
      BRAINTRUST_APP_URL: server.url,
      BRAINTRUST_API_KEY: server.key,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const lines = out.split('\n');
  const result = lines.find((line) => line.startsWith(resultMark));
  const output = lines.filter((line) => line !== result).join('\n') + errors;
  if (code !== 0 || result === undefined)
    throw new Error(`the program ${name} ended with ${String(code)}: ${output}`);
  return { result: JSON.parse(result.slice(resultMark.length)) as Ran['result'], output };
}
