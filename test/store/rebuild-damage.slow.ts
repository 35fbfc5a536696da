// A rebuilt manifest of segments whose files changed since they were written.
import { expect } from 'chai';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkStore } from '../../src/store/check/check-store.js';
import { rebuildManifest } from '../../src/store/rebuild/rebuild-manifest.js';
import { whileOpenFails } from '../support/failing-files.js';
import { filesIn } from '../support/files-in.js';
import { openStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const options = { flushRows: 1_000_000, segments: { narrowRowsMin: 1 } };

async function flipBit(file: string): Promise<void> {
  const bytes = await readFile(file);
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(file, bytes);
}

describe('a manifest that is rebuilt from damaged segments', () => {
  const directory = temporaryDirectory();
  const file = (name: string) => path.join(directory(), name);
  const segment = (name: string) => file(`segments/project_id=project/${name}`);
  const rebuild = () =>
    rebuildManifest(directory(), { memoryMb: 512, threads: 1 }, () => Promise.resolve([]));

  /** Writes three segments and returns their file names without an ending, and the live rows. */
  async function fill() {
    const opened = await openStore(directory(), options);
    for (const id of ['a', 'b', 'c']) {
      await opened.insert('e', { id, input: id }, { id: `${id}, too`, input: { x: 1 } });
      await opened.store.flush();
    }
    const live = await opened.live('e');
    await opened.close();
    const names = (await readdir(segment(''))).filter((name) => /\d\.parquet$/.test(name));
    const [first = '', second = '', third = ''] = names.map((name) => path.parse(name).name).sort();
    return { first, second, third, live };
  }

  async function live(): Promise<object> {
    const opened = await openStore(directory(), options);
    const rows = await opened.live('e');
    await opened.close();
    return rows;
  }

  it('gets new files beside the rows instead of the damaged ones, and keeps the others', async () => {
    const { first, second, live: before } = await fill();
    const sound = await filesIn(segment(''));
    for (const name of [`${first}.ids`, `${first}.idx`, `${second}.narrow`])
      await flipBit(segment(name));
    await rebuild();
    expect(await checkStore(directory())).to.deep.equal([]);
    // Narrow files of a flush are compressed less.
    const others = Object.entries(sound).filter(([name]) => name !== `${second}.narrow`);
    expect(await filesIn(segment(''))).to.include(Object.fromEntries(others));
    expect(await live()).to.deep.equal(before);
  });

  it('gets them all anew when the former one is missing', async () => {
    const { first, second, third, live: before } = await fill();
    for (const name of [`${first}.ids`, `${second}.idx`, `${third}.narrow`])
      await flipBit(segment(name));
    await rm(file('meta.duckdb'));
    await rebuild();
    expect(await checkStore(directory())).to.deep.equal([]);
    expect(await live()).to.deep.equal(before);
  });

  it('is not made while files cannot be opened', async () => {
    const { third, live: before } = await fill();
    const narrow = await readFile(segment(`${third}.narrow`));
    for (const files of [/parquet$/, /narrow$/])
      await whileOpenFails(files, 'EMFILE', async () => {
        expect(await rejection(rebuild())).to.have.property('code', 'EMFILE');
      });
    expect(await readFile(segment(`${third}.narrow`))).to.deep.equal(narrow);
    expect(await live()).to.deep.equal(before);
  });

  it('lacks damaged rows, which are named', async () => {
    const { first, live: before } = await fill();
    await flipBit(segment(`${first}.parquet`));
    const lines = await rebuild();
    expect(lines).to.include(
      `left out: ${segment(`${first}.parquet`)}: its checksum is not that of what was written`,
    );
    expect(lines).to.include(
      `lost: segment ${Number(first)} of project project with 2 row versions`,
    );
    expect(await checkStore(directory())).to.deep.equal([]);
    const { a: _, 'a, too': __, ...others } = before as Record<string, unknown>;
    expect(await live()).to.deep.equal(others);
  });
});
