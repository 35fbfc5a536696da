// What an export or an import that was killed finds of its earlier run.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'chai';
import { fileOnce, writeFileOf } from '../../src/cli/export/files.js';
import { startProgress } from '../../src/cli/progress.js';
import { openJournal } from '../../src/cli/export/journal.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('the journal of an export or an import', () => {
  const directory = temporaryDirectory();
  const file = () => path.join(directory(), 'a.partial');

  /** Opens the journal, uses it, and closes it. */
  async function using<T>(
    use: (journal: Awaited<ReturnType<typeof openJournal>>) => Promise<T>,
  ): Promise<T> {
    const journal = await openJournal(file());
    try {
      return await use(journal);
    } finally {
      await journal.close();
    }
  }

  const step = (value: number) =>
    using(async (journal) => [
      journal.isResumed,
      await journal.once('step', async () => value),
      await journal.once(`step ${value}`, async () => value),
    ]);

  it('runs each step once', async () => {
    expect(await step(1)).to.deep.equal([false, 1, 1]);
    expect(await step(2)).to.deep.equal([true, 1, 2]);
  });

  it('ignores a line that was cut off, and goes on after it', async () => {
    await step(1);
    appendFileSync(file(), '["step 2",');
    expect(await step(2)).to.deep.equal([true, 1, 2]);
    expect(await step(3)).to.deep.equal([true, 1, 3]);
    expect(await using(async (journal) => journal.valueOf('step 2'))).to.equal(2);
  });

  it('leaves no file without a step', async () => {
    await using(async () => {});
    expect(existsSync(file())).to.equal(false);
  });

  const progress = startProgress({ terminal: new PassThrough() }, { label: 'rows' });
  const write = (content: string) =>
    using((journal) =>
      fileOnce({ journal, directory: directory() }, 'file', () =>
        writeFileOf(
          { directory: directory(), progress },
          'rows',
          Readable.from([content]),
          () => 1,
        ),
      ),
    );

  it('keeps a file that is as it was noted, and writes a changed one again', async () => {
    const rows = path.join(directory(), 'rows');
    const first = await write('one');
    expect(first).to.include({ path: 'rows', rows: 1, bytes: 3 });
    expect(await write('two')).to.deep.equal(first);
    expect(readFileSync(rows, 'utf8')).to.equal('one');
    writeFileSync(rows, 'xxx');
    expect(await write('two')).to.not.deep.equal(first);
    expect(readFileSync(rows, 'utf8')).to.equal('two');
  });
});
