// Runs the command lines of published clients, in a directory with the files that they read.
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestServer } from '../support/start-server.js';
import { root, runCommand, variablesFor, type Ended } from './run-program.js';

export interface CommandLine {
  readonly directory: () => string;
  /** Runs a command of the package `braintrust`, where `bin` is its file. */
  readonly run: (bin: string, ...parameters: readonly string[]) => Promise<Ended>;
}

/** Call inside `describe`: all commands run in one directory, with copies of these files of `test/clients/files`. */
export function commandLine(server: () => TestServer, files: readonly string[] = []): CommandLine {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    // Where the files find the packages that they import.
    await symlink(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
    for (const file of files)
      await copyFile(path.join(root, 'test/clients/files', file), path.join(directory, file));
  });
  after(() => rm(directory, { recursive: true, force: true }));
  return {
    directory: () => directory,
    run: (bin, ...parameters) =>
      runCommand(
        {
          ...variablesFor(server()),
          // Settings and temporary files go to the directory; a command may start others.
          PATH: process.env['PATH'],
          HOME: directory,
          TMPDIR: directory,
        },
        [process.execPath, path.join(root, 'node_modules/braintrust', bin), ...parameters],
        directory,
      ),
  };
}
