// What became of inserts into a server that has trouble: each id is answered, refused, or of unknown fate, and must be stored as that says.
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { TestServer } from '../support/test-server.js';

export interface Ledger {
  readonly answered: string[];
  /** Answered with an error that says that nothing was stored. */
  readonly refused: string[];
}

export const newLedger = (): Ledger => ({ answered: [], refused: [] });

export interface Inserts {
  readonly events: number;
  /** Random bytes in each of them. */
  readonly bytes: number;
}

/** @returns the status of the answer */
export async function insert(
  server: Pick<TestServer, 'request'>,
  where: string,
  ledger: Ledger,
  { events: count, bytes }: Inserts = { events: 20, bytes: 6_000 },
): Promise<number> {
  const ids = Array.from({ length: count }, () => randomBytes(8).toString('hex'));
  const events = ids.map((id) => ({ id, input: randomBytes(bytes).toString('base64') }));
  const answer = await server.request('POST', `${where}/insert`, { events });
  if (answer.status === 200) ledger.answered.push(...ids);
  else if (answer.text.includes('nothing was stored')) ledger.refused.push(...ids);
  else expect(answer.text).to.include('may or may not be stored');
  return answer.status;
}

export async function expectKept(server: TestServer, where: string, ledger: Ledger): Promise<void> {
  const { events } = await server.get(`${where}/fetch`);
  const ids = (events as { readonly id: string }[]).map(({ id }) => id);
  const stored = new Set(ids);
  expect(stored.size, 'no row twice').to.equal(ids.length);
  expect(ledger.answered.filter((id) => !stored.has(id))).to.deep.equal([]);
  expect(ledger.refused.filter((id) => stored.has(id))).to.deep.equal([]);
}
