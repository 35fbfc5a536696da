// SIGKILL in the middle of inserts: what was answered is there once, what was not is there once or not at all.
import { randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkStore } from '../../src/store/check/check-store.js';
import { startServer, type ServerProcess, type TestServer } from '../support/start-server.js';

const rounds = 25;
/** Few, so that kills fall into the writing, publishing and merging of segments, too. */
const tuning = {
  compaction: { fanOut: 3 },
  segments: { narrowRowsMin: 1 },
};
const environment = { EVALSTORE_FLUSH_ROWS: '60' };
const clients = 8;
const eventsPerRequest = 5;

/** The ids of each request by its outcome. */
interface Ledger {
  readonly answered: string[][];
  readonly unanswered: Set<string[]>;
}

const newLedger = (): Ledger => ({ answered: [], unanswered: new Set() });

/** Calls `answered` after each answer. */
async function insertUntilDead(
  server: TestServer,
  path: string,
  ledger: Ledger,
  answered: () => void,
): Promise<void> {
  for (;;) {
    const ids = Array.from({ length: eventsPerRequest }, () => randomUUID());
    const events = ids.map((id) => ({ id, input: { text: 'x'.repeat(500) }, scores: { s: 1 } }));
    ledger.unanswered.add(ids);
    try {
      await server.post(path, { events });
    } catch (error) {
      if (error instanceof TypeError) return; // the connection broke: the server is dead
      throw error;
    }
    ledger.unanswered.delete(ids);
    ledger.answered.push(ids);
    answered();
  }
}

async function killWhileInserting(server: ServerProcess, path: string): Promise<Ledger> {
  const ledger = newLedger();
  const enough = randomInt(1, 300);
  let running: readonly Promise<void>[] = [];
  await new Promise<void>((resolve) => {
    const stopWhenEnough = () => {
      if (ledger.answered.length >= enough) resolve();
    };
    running = Array.from({ length: clients }, () =>
      insertUntilDead(server, path, ledger, stopWhenEnough),
    );
  });
  expect(ledger.unanswered.size, 'requests in flight at the kill').to.be.greaterThan(0);
  await server.kill();
  await Promise.all(running);
  return ledger;
}

async function countById(server: TestServer, path: string): Promise<Map<string, number>> {
  const response = await server.request('GET', path);
  const { events } = response.json() as { events: { id: string }[] };
  const counts = new Map<string, number>();
  for (const { id } of events) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function expectKept(counts: ReadonlyMap<string, number>, ledger: Ledger): void {
  for (const id of ledger.answered.flat()) expect(counts.get(id), `answered ${id}`).to.equal(1);
  for (const ids of ledger.unanswered) {
    const present = ids.map((id) => counts.get(id) ?? 0);
    expect(new Set(present).size, `request stored in part: ${present.join()}`).to.equal(1);
    expect(present[0]).to.be.at.most(1);
  }
}

describe('SIGKILL while eight clients insert', () => {
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'evalstore-kill-'));
  });

  after(() => rm(directory, { recursive: true, force: true }));

  it(`keeps every answered event exactly once over ${rounds} rounds`, async () => {
    let server = await startServer({ dir: directory, environment, tuning });
    const created = await server.request('POST', '/v1/project', { name: 'crash' });
    const { id } = created.json() as { id: string };
    const ledgers: Ledger[] = [];
    for (let round = 0; round < rounds; round++) {
      ledgers.push(await killWhileInserting(server, `/v1/project_logs/${id}/insert`));
      server = await startServer({ dir: directory, environment, tuning });
      const counts = await countById(server, `/v1/project_logs/${id}/fetch`);
      for (const ledger of ledgers) expectKept(counts, ledger);
    }
    await server.stop();
    expect(await checkStore(directory)).to.deep.equal([]);
  });
});
