// A machine with 512 MB, with the default settings: inserts, pages, heavy queries, merges of segments and large bodies side by side.
import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import { expectKept, insert, newLedger } from '../crash/ledger.js';
import { peakMemoryMb } from '../support/attack.js';
import { openMemoryGroup } from '../support/memory-group.js';
import { createProject } from '../support/objects.js';
import { startServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const megabytes = 512;
const durationMs = 45_000;
const inserting = 6;
const small = { events: 10, bytes: 3_000 };

const heavyQueries = [
  'select: input | sort: input',
  'dimensions: input as i, id as r | measures: count(*) as n | sort: n desc',
  'select: input + input as twice | sort: twice desc',
  'measures: count(*) as n, max(input) as i',
];

const group = openMemoryGroup(megabytes * 2 ** 20);

(group === null ? describe.skip : describe)(
  `${megabytes} MB of memory${group === null ? ' (left out: only root may make a control group)' : ''}`,
  () => {
    const directory = temporaryDirectory();
    after(() => group?.remove());

    it('are enough: nothing is lost, and what does not fit is refused in words', async () => {
      const server = await startServer({
        dir: directory(),
        wrapper: group!.wrapper,
        environment: { EVALSTORE_QUERY_MEMORY_MB: undefined, EVALSTORE_FLUSH_ROWS: '2000' },
      });
      const statuses = new Map<string, number>();
      const note = (what: string, status: number) =>
        statuses.set(`${what} ${status}`, (statuses.get(`${what} ${status}`) ?? 0) + 1);
      try {
        const { id } = await createProject(server);
        const where = `/v1/project_logs/${id}`;
        const ledger = newLedger();
        const end = Date.now() + durationMs;
        const repeat = async (work: (turn: number) => Promise<unknown>) => {
          for (let turn = 0; Date.now() < end; turn += 1) await work(turn);
        };
        const ask = async (what: string, method: string, target: string, body?: unknown) => {
          const { status, text } = await server.request(method, target, body);
          note(what, status);
          if (status !== 200)
            expect(text).to.match(/memory|time budget|waiting|larger than|try again/);
        };
        const body = { events: [{ id: 'large', input: 'x'.repeat(5_000_000) }] };
        const load = Promise.all([
          ...Array.from({ length: inserting }, () =>
            repeat(async () => note('insert', await insert(server, where, ledger, small))),
          ),
          repeat(() => ask('page', 'GET', `${where}/fetch?limit=20`)),
          ...[0, 1].map((offset) =>
            repeat((turn) => {
              const query = heavyQueries[(turn + offset) % heavyQueries.length]!;
              const text = `${query} | from: project_logs('${id}')`;
              return ask('query', 'POST', '/query', { query: text });
            }),
          ),
          repeat(() => ask('large body', 'POST', `${where}/insert`, body)),
        ]);
        await load.catch((error: unknown) => {
          const counts = [...statuses].map((each) => each.join(': ')).join(', ');
          throw new Error(`processes killed: ${group!.kills()}; answers: ${counts}`, {
            cause: error,
          });
        });
        const peak = await peakMemoryMb(server.pid);
        console.log(
          `      peak ${peak.toFixed(0)} MB resident; ${[...statuses].map((each) => each.join(': ')).join(', ')}`,
        );
        for (const name of statuses.keys()) expect(name).not.to.match(/ 500$/);
        expect(statuses.get('insert 200')).to.be.above(100);
        await server.get('/health');
        ledger.answered.push('large');
        expect(group!.kills()).to.equal(0);
        await server.stop();
        // All rows on one page are more than such a machine has memory for.
        const large = await startServer({ dir: directory() });
        await expectKept(large, where, ledger);
        await large.stop();
        expect(await checkStore(directory())).to.deep.equal([]);
      } finally {
        await server.kill();
      }
    }).timeout(300_000);
  },
);
