// A page of fetch needs the segments that hold its rows, and no other file.
import { mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { openServer } from '../support/hosted-server.js';
import type { TestServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const segmentCount = 8;
const rowsPerSegment = 300;
const limit = 100;

describe('pages of a log with many segments', () => {
  const directory = temporaryDirectory();

  async function segmentNames(): Promise<readonly string[]> {
    const found = await readdir(path.join(directory(), 'segments'), { recursive: true });
    return found
      .filter((name) => /\d\.ids$/.test(name))
      .map((name) => name.slice(0, -4))
      .sort();
  }

  async function fill(server: TestServer, log: string): Promise<void> {
    for (let segment = 1; segment <= segmentCount; segment++) {
      const events = Array.from({ length: rowsPerSegment }, (_, row) => ({
        id: `${segment}/${row}`,
        input: { row },
      }));
      await server.post(`${log}/insert`, { events });
      const isWritten = async () => (await segmentNames()).length === segment;
      await waitUntil(`segment ${segment}`, isWritten);
    }
  }

  /** Moves all files away but those of the segments whose numbers, from the newest, are given. */
  async function moveOthersAway(...kept: readonly number[]): Promise<() => Promise<void>> {
    const names = (await segmentNames()).toReversed().filter((_, index) => !kept.includes(index));
    const away = path.join(directory(), 'away');
    await mkdir(away, { recursive: true });
    const moves = names.flatMap((name) =>
      ['.parquet', '.idx', '.ids'].map(
        (ending) =>
          [
            path.join(directory(), 'segments', name + ending),
            path.join(away, path.basename(name) + ending),
          ] as const,
      ),
    );
    for (const [from, to] of moves) await rename(from, to);
    return async () => {
      for (const [from, to] of moves) await rename(to, from);
    };
  }

  it('are the same when the files of the other segments are moved away', async () => {
    const server = await openServer({
      dir: directory(),
      environment: { EVALSTORE_FLUSH_ROWS: String(rowsPerSegment) },
      tuning: { compaction: { fanOut: 1000, supersededShare: 2 } },
    });
    try {
      const log = `/v1/project_logs/${(await createProject(server)).id}`;
      await fill(server, log);
      const page = async (cursor: unknown) => {
        const where = typeof cursor === 'string' ? `&cursor=${cursor}` : '';
        return server.request('GET', `${log}/fetch?limit=${limit}${where}`);
      };
      const cursors: unknown[] = [null];
      for (let number = 1; number < 20; number++)
        cursors.push((await page(cursors.at(-1))).json()['cursor']);
      // The second of the three pages that a segment holds: what follows it lies there, too.
      for (const [number, segment] of [
        [1, 0],
        [17, 5],
      ] as const) {
        const cursor = cursors[number - 1];
        const before = await page(cursor);
        const putBack = await moveOthersAway(segment);
        const after = await page(cursor);
        await putBack();
        expect(after.status, after.text).to.equal(200);
        expect((after.json()['events'] as unknown[]).length).to.equal(limit);
        expect(after.text).to.equal(before.text);
      }
      const putBack = await moveOthersAway(0);
      expect((await page(cursors[16])).status, 'page 17 needs its segment').to.equal(503);
      await putBack();
    } finally {
      await server.stop();
    }
  });
});
