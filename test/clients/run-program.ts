// Runs published clients, in processes of their own that know nothing but the address and the key.
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

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

export const root = fileURLToPath(new URL('../../../', import.meta.url));

const resultMark = 'RESULT ';

export const variablesFor = ({ url, key }: TestServer) => ({
  BRAINTRUST_API_URL: url,
  BRAINTRUST_APP_URL: url,
  BRAINTRUST_API_KEY: key,
});

/** Runs a command that has no other variables than these. */
export async function runCommand(
  env: NodeJS.ProcessEnv,
  [command, ...parameters]: readonly [string, ...string[]],
  cwd = root,
): Promise<Ended> {
  const child = spawn(command, parameters, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: code as number | null, out, errors };
}

/**
 * Runs a program of `test/clients/programs`.
 * @throws Error with the program's output when it fails
 */
export async function runProgram(
  server: TestServer,
  name: string,
  ...parameters: readonly string[]
): Promise<Ran> {
  // They are not compiled: the types of these packages would change those of everything else.
  const program = path.join(root, `test/clients/programs/${name}.mjs`);
  const { code, out, errors } = await runCommand(variablesFor(server), [
    process.execPath,
    program,
    ...parameters,
  ]);
  const lines = out.split('\n');
  const result = lines.find((line) => line.startsWith(resultMark));
  const output = lines.filter((line) => line !== result).join('\n') + errors;
  if (code !== 0 || result === undefined)
    throw new Error(`the program ${name} ended with ${String(code)}: ${output}`);
  return { result: JSON.parse(result.slice(resultMark.length)) as Ran['result'], output };
}
