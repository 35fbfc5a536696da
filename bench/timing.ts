// npm run bench -- timing: how long the answer takes about an object that may not be read, and about one that does not exist. Both are
// asked for in turn on one connection; their distributions should be the same.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { quantile } from './measure.js';
import { table, type Cell } from './report/markdown.js';
import { startStore, type StoreServer } from './store/server.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const { values } = parseArgs({ options: { requests: { type: 'string', default: '3000' } } });
const warmUp = 300;

/** One for all requests, as there is one hidden object: texts of queries that were parsed lately are not parsed again. */
const absentId = randomUUID();

interface Asked {
  readonly title: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly route: (id: string) => string;
  readonly body?: (id: string) => object;
}

const asked: readonly Asked[] = [
  { title: 'GET /v1/experiment/<id>', method: 'GET', route: (id) => `/v1/experiment/${id}` },
  {
    title: 'POST /v1/experiment/<id>/fetch',
    method: 'POST',
    route: (id) => `/v1/experiment/${id}/fetch`,
    body: () => ({ limit: 1 }),
  },
  {
    title: 'POST /v1/experiment/<id>/insert',
    method: 'POST',
    route: (id) => `/v1/experiment/${id}/insert`,
    body: () => ({ events: [{ input: 'a' }] }),
  },
  {
    title: 'PATCH /v1/experiment/<id>',
    method: 'PATCH',
    route: (id) => `/v1/experiment/${id}`,
    body: () => ({ description: 'a' }),
  },
  {
    title: 'POST /query from experiment(<id>)',
    method: 'POST',
    route: () => '/query',
    body: (id) => ({ query: `select: id | from: experiment('${id}')` }),
  },
];

type Send = (
  method: Asked['method'],
  route: string,
  body: object | undefined,
  key: string,
) => Promise<string>;

function sender({ url }: StoreServer): {
  readonly send: Send;
  readonly close: () => Promise<void>;
} {
  const pool = new Pool(url, { connections: 1 });
  return {
    send: async (method, route, body, key) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const text = body === undefined ? null : JSON.stringify(body);
      const answer = await pool.request({ method, path: route, headers, body: text });
      return answer.body.text();
    },
    close: () => pool.close(),
  };
}

/** Chance that a time of `a` is above one of `b`: 0.5 for times that cannot be told apart. */
function chanceAbove(a: readonly number[], b: readonly number[]): number {
  const all = [
    ...a.map((time) => ({ time, isA: true })),
    ...b.map((time) => ({ time, isA: false })),
  ];
  all.sort((x, y) => x.time - y.time);
  let [below, above] = [0, 0];
  for (const { isA } of all)
    if (isA) above += below;
    else below += 1;
  return above / (a.length * b.length);
}

async function measure(send: Send, { method, route, body }: Asked, hidden: string, key: string) {
  const times = { hidden: [] as number[], absent: [] as number[] };
  const total = Number(values.requests) + warmUp;
  for (let number = 0; number < total; number++) {
    // Which one comes first changes, so that neither profits from the other.
    const order =
      number % 2 === 0 ? (['hidden', 'absent'] as const) : (['absent', 'hidden'] as const);
    for (const which of order) {
      const id = which === 'hidden' ? hidden : absentId;
      const start = performance.now();
      await send(method, route(id), body?.(id), key);
      if (number >= warmUp) times[which].push((performance.now() - start) * 1000);
    }
  }
  return times;
}

const directory = await mkdtemp(path.join(tmpdir(), 'evalstore-timing-'));
const server = await startStore(root, directory);
const { send, close } = sender(server);
try {
  const ask = async (method: Asked['method'], route: string, body: object) =>
    JSON.parse(await send(method, route, body, server.key)) as Readonly<Record<string, unknown>>;
  const { id } = await ask('POST', '/v1/experiment', {
    project_id: server.projectId,
    name: 'hidden',
  });
  const invite_users = { service_accounts: [{ name: 'outsider', token_name: 'outsider' }] };
  const { added_users } = await ask('PATCH', '/v1/organization/members', { invite_users });
  const [outsider] = added_users as readonly { readonly service_token: string }[];
  const rows: (readonly Cell[])[] = [];
  for (const each of asked) {
    const { hidden, absent } = await measure(send, each, String(id), outsider!.service_token);
    for (const [name, times] of [
      ['may not be read', hidden],
      ['does not exist', absent],
    ] as const)
      rows.push([
        each.title,
        name,
        ...[0.1, 0.5, 0.9, 0.99].map((share) => quantile(times, share)),
        name === 'does not exist' ? null : chanceAbove(hidden, absent),
      ]);
  }
  console.log(
    table(['µs', 'the object', 'p10', 'p50', 'p90', 'p99', 'chance that it takes longer'], rows),
  );
} finally {
  await close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
