// The variables of shells in which tests run the commands that our pages show: `npx evalstore` is that of this build. Where `curl` is
// not installed, another program stands in for it, since the tests need nothing but npm.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { evalstore } from './command-line.js';

export const curlStandIn = fileURLToPath(new URL('curl.js', import.meta.url));

const isInstalled = (name: string): boolean =>
  spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined;

/** A directory with `npx`, which runs the command `evalstore` of this build, and with `curl` if there is none. */
function standIns(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'evalstore-commands-'));
  const write = (name: string, program: string) =>
    writeFileSync(
      path.join(directory, name),
      `#!/bin/sh\n${program.replace('node', `'${process.execPath}'`)} "$@"\n`,
      { mode: 0o755 },
    );
  write('npx', `shift\nexec node '${evalstore}'`);
  if (!isInstalled('curl')) write('curl', `exec node '${curlStandIn}'`);
  process.once('exit', () => rmSync(directory, { recursive: true }));
  return directory;
}

let variables: NodeJS.ProcessEnv | undefined;

/** Those of this process, with a `PATH` on which these programs are. */
export const commandVariables = (): NodeJS.ProcessEnv =>
  (variables ??= { ...process.env, PATH: `${standIns()}:${process.env['PATH'] ?? ''}` });
