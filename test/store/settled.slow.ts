// What a long load leaves behind once all merges are done: few segments, all of them sound.
import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import {
  defaultCompaction,
  planCompaction,
} from '../../src/store/maintenance/compaction-policy.js';
import { segmentsMax } from '../support/segments-max.js';
import { readSegments } from '../../src/store/manifest/segments.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const compaction = { ...defaultCompaction, fanOut: 4, rowsMax: 40_000, idleMs: 0 };
const objects = ['e', 'b', 'z'];
const rounds = 150;
const eventsPerRound = 1111;

describe('a store at rest after a long load', () => {
  const directory = temporaryDirectory();

  it('has no merge left to do, no more segments than the policy promises, and sound files', async () => {
    const failures: unknown[] = [];
    const opened = await openStore(directory(), {
      flushRows: 2500,
      compaction,
      segments: { narrowRowsMin: 5000 },
      hooks: { failed: (error) => failures.push(error) },
    });
    // Most rows are of one object, and some end later.
    for (let round = 0; round < rounds; round++) {
      const events = Array.from({ length: eventsPerRound }, (_, index) => ({
        id: `${index % 10 === 0 ? 0 : round} ${index}`,
        input: { round, text: 'x'.repeat(index % 50) },
      }));
      await opened.insert(objects[round % 7] ?? 'e', ...events);
    }
    await opened.store.flush();
    await opened.store.flush();
    const segments = await readSegments(opened.writer);
    await opened.close();
    const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
    const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    process.stdout.write(`      ${rows} rows in ${segments.length} segments\n`);
    expect(rows).to.equal(rounds * eventsPerRound);
    expect(failures).to.deep.equal([]);
    expect(planCompaction(segments, new Map(), compaction)).to.equal(null);
    expect(segments.length).to.be.at.most(segmentsMax({ rows, bytes }, compaction));
    expect(await checkStore(directory())).to.deep.equal([]);
  });
});
