// A directory for every test of a suite; all are removed after the suite, when nothing is open in them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Call inside `describe`; the returned function gives the current test's own directory. Throws an Error before the first
 * test, as in `before`.
 */
export function temporaryDirectory(): () => string {
  const directories: string[] = [];
  beforeEach(async () => {
    directories.push(await mkdtemp(path.join(tmpdir(), 'evalstore-')));
  });
  after(async () => {
    for (const directory of directories) await rm(directory, { recursive: true, force: true });
  });
  return () => {
    const directory = directories.at(-1);
    if (directory === undefined) throw new Error('no test has begun, so there is no directory');
    return directory;
  };
}
