// What somebody notices of an attack who has no part in it: the times of a point query, an insert and `/health`, compared with
// those of the same requests on the idle server. They are printed; only a missing answer or an error fails.
import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { clientAt, type Client } from '../support/client.js';
import { createNamed } from '../support/objects.js';
import type { TestServer } from '../support/start-server.js';

/** Milliseconds from an answer to the next request of its kind. */
const pauseMs = 10;

const idleRequests = 150;

type Requests = Readonly<Record<'point query' | 'insert' | 'health', () => Promise<unknown>>>;

interface Measured {
  readonly name: string;
  /** Milliseconds, ascending. */
  readonly times: readonly number[];
}

/**
 * The time that was not exceeded in this share of the whole time. One stall of many seconds counts as that, and not as one slow
 * request among many fast ones.
 */
function percentile(times: readonly number[], share: number): number {
  let left = share * times.reduce((sum, time) => sum + time, 0);
  return times.find((time) => (left -= time) <= 0) ?? times.at(-1)!;
}

async function timesOf(
  ask: () => Promise<unknown>,
  goesOn: (count: number) => boolean,
): Promise<readonly number[]> {
  const times: number[] = [];
  while (goesOn(times.length)) {
    const start = performance.now();
    await ask();
    times.push(performance.now() - start);
    await delay(pauseMs);
  }
  return times.toSorted((a, b) => a - b);
}

const measured = (requests: Requests, goesOn: (count: number) => boolean) =>
  Promise.all(
    Object.entries(requests).map(async ([name, ask]): Promise<Measured> => ({
      name,
      times: await timesOf(ask, goesOn),
    })),
  );

async function newKey(server: TestServer): Promise<string> {
  const invite_users = { service_accounts: [{ name: 'bystander', token_name: 'bystander' }] };
  const body = { invite_users: { ...invite_users, group_name: 'Engineers' } };
  const { status, text, json } = await server.request('PATCH', '/v1/organization/members', body);
  if (status !== 200) throw new Error(text);
  const { added_users } = json() as { added_users?: readonly { service_token: string }[] };
  return added_users![0]!.service_token;
}

/** The requests of a key that is not the attacker's, on an object that nobody else uses. */
async function requestsOf(server: TestServer): Promise<Requests> {
  const client: Client = clientAt(server.url, await newKey(server));
  const { id } = await createNamed(client as TestServer, 'project');
  const object = `project_logs/${id}`;
  await client.insert(object, [{ id: 'row', input: 'a' }]);
  const query = `select: input | from: project_logs('${id}') | filter: id = 'row'`;
  let inserted = 0;
  return {
    'point query': async () => expect(await client.query(query)).to.deep.equal([{ input: 'a' }]),
    insert: () => client.insert(object, [{ id: `${(inserted += 1)}`, input: 'b' }]),
    health: async () => expect((await client.request('GET', '/health')).status).to.equal(200),
  };
}

export interface Bystander {
  /** Runs the attack; prints how many times as long others wait meanwhile. Fails if one gets no answer or an error. */
  beside<T>(attack: () => Promise<T>): Promise<T>;
}

const ms = (time: number): string => time.toFixed(time < 10 ? 1 : 0);

function compare(idle: Measured, attacked: Measured): void {
  const [base, p99] = [percentile(idle.times, 0.99), percentile(attacked.times, 0.99)];
  console.log(
    `      ${attacked.name}: ${attacked.times.length} answers, p50 ${ms(percentile(attacked.times, 0.5))} ms,`,
    `p99 ${ms(p99)} ms: ${(p99 / base).toFixed(1)} x the idle ${ms(base)} ms`,
  );
}

/** Measures the idle server. */
export async function openBystander(server: TestServer): Promise<Bystander> {
  const requests = await requestsOf(server);
  // The first ones compile and open what the others use.
  await measured(requests, (count) => count < idleRequests);
  const idle = await measured(requests, (count) => count < idleRequests);
  return {
    beside: async (attack) => {
      const running = new Set(['attack']);
      const work = attack().finally(() => running.clear());
      const [result, attacked] = await Promise.all([
        work,
        measured(requests, (count) => count === 0 || running.size > 0),
      ]);
      attacked.forEach((one, index) => compare(idle[index]!, one));
      return result;
    },
  };
}
