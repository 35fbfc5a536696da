// The variables of shells in which tests run the commands that our pages show. Where `curl` is not installed, another program stands
// in for it, since the tests need nothing but npm.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const curlStandIn = fileURLToPath(new URL('curl.js', import.meta.url));

const isInstalled = (name: string): boolean =>
  spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined;

/** A directory with the program `curl`. */
function standIn(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'evalstore-curl-'));
  const script = `#!/bin/sh\nexec '${process.execPath}' '${curlStandIn}' "$@"\n`;
  writeFileSync(path.join(directory, 'curl'), script, { mode: 0o755 });
  process.once('exit', () => rmSync(directory, { recursive: true }));
  return directory;
}

let variables: NodeJS.ProcessEnv | undefined;

/** Those of this process, with a `PATH` on which there is `curl`. */
export function commandVariables(): NodeJS.ProcessEnv {
  variables ??= isInstalled('curl')
    ? process.env
    : { ...process.env, PATH: `${standIn()}:${process.env['PATH'] ?? ''}` };
  return variables;
}
