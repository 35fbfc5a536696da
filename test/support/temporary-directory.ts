// A directory for one test, removed after it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Call inside `describe`; the returned function gives the current test's own directory. */
export function temporaryDirectory(): () => string {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));
  return () => directory;
}
