// Makes archives of a data directory for `data-directories.slow.ts`: node dist/test/formats/write-data.js <name> <folder>.
// <name>.tar.gz is a directory after a stop, <name>-killed.tar.gz the same one when the process had been killed. Each has segments,
// buffered rows and `answers.json`: requests with the answers of the version that wrote it. To keep what a version writes, run
// this there before the format changes.
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runEvalstore } from '../support/command-line.js';
import { startServer, type TestServer } from '../support/start-server.js';

type Kept = readonly (readonly [method: string, where: string, body?: object])[];

const [name = 'data', folder = '.'] = process.argv.slice(2);

const post = async (server: TestServer, where: string, body: object) => {
  const answer = await server.request('POST', where, body);
  if (answer.status !== 200) throw new Error(`${where}: ${answer.text}`);
  return { id: '', ...(JSON.parse(answer.text) as object), version: versionOf(answer.headers) };
};

const versionOf = (headers: Headers): string => headers.get('x-evalstore-version') ?? '';

const row = (number: number) => ({
  id: `r${number}`,
  input: { question: `q${number}`, list: [number, null, { a: 'é' }] },
  output: number % 2 === 0 ? `answer ${number}` : { text: 'no', exact: 'x'.repeat(300) },
  expected: null,
  scores: { Factuality: number / 8, 'a/b': number % 3 === 0 ? null : 1 },
  metadata: { model: `m${number % 3}`, 'a.b': number % 2 === 0 ? number : `${number}`, A: true },
  tags: number % 2 === 0 ? ['even', `t${number}`] : null,
  metrics: { start: 1_700_000_000 + number, end: 1_700_000_001.5 + number, tokens: 10 * number },
  context: { caller_filename: 'main.py', caller_lineno: number },
  span_attributes: { name: 'root', type: 'task' },
  origin: { object_type: 'dataset', id: `d${number}` },
  error: number === 5 ? { message: 'failed' } : null,
  created: `2026-01-0${(number % 9) + 1}T00:00:00.123456Z`,
});

const child = (number: number) => ({
  id: `c${number}`,
  _parent_id: `r${number}`,
  input: 'child',
  span_attributes: { name: 'llm', type: 'llm' },
  metrics: { prompt_tokens: number, completion_tokens: 2 },
});

/** Digits that a double does not have, and keys that JavaScript would reorder. */
const exact =
  '{"id":"exact","input":{"2":1.50,"1":12345678901234567890,"":"\\u0001"},"metadata":{"n":0.1000000000000000055}}';

/** Beside them, a score that a double has in all of its digits. */
const near =
  '{"id":"near","scores":{"Factuality":0.30000000000000004,"long":0.1234567890123456789},"metadata":{"model":"m1","big":9007199254740993}}';

const record = (number: number) => ({
  id: `d${number}`,
  input: { question: `q${number}` },
  expected: [number],
  metadata: { split: number % 2 === 0 ? 'test' : 'train' },
});

interface Objects {
  readonly project: string;
  readonly experiment: string;
  readonly base: string;
  readonly dataset: string;
  readonly alone: string;
  readonly prompt: string;
}

async function makeObjects(server: TestServer): Promise<Objects> {
  const { id: project } = await post(server, '/v1/project', { name: 'kept' });
  const { id: gone } = await post(server, '/v1/project', { name: 'gone' });
  await server.request('DELETE', `/v1/project/${gone}`);
  const { id: dataset } = await post(server, '/v1/dataset', { project_id: project, name: 'd' });
  const { id: alone } = await post(server, '/v1/dataset', { name: 'alone' });
  const { id: base } = await post(server, '/v1/experiment', {
    project_id: project,
    name: 'base',
    repo_info: { commit: 'abc', dirty: false },
    metadata: { model: 'm' },
  });
  const { id: experiment } = await post(server, '/v1/experiment', {
    project_id: project,
    name: 'e',
    base_exp_id: base,
    dataset_id: dataset,
    public: true,
  });
  const { id: prompt } = await post(server, '/v1/prompt', {
    project_id: project,
    name: 'Answer',
    slug: 'answer',
    prompt_data: { prompt: { type: 'completion', content: 'Answer: {{input}}' } },
  });
  const permissions = [{ permission: 'create', restrict_object_type: 'organization' }];
  await post(server, '/v1/role', { name: 'makers', member_permissions: permissions });
  return { project, experiment, base, dataset, alone, prompt };
}

const insertsInto = ({ project, experiment, base, dataset, alone }: Objects) => ({
  log: `/v1/project_logs/${project}`,
  experiment: `/v1/experiment/${experiment}`,
  base: `/v1/experiment/${base}`,
  dataset: `/v1/dataset/${dataset}`,
  alone: `/v1/dataset/${alone}`,
});

const numbers = [0, 1, 2, 3, 4, 5, 6, 7];

/** What ends up in segments; returns versions between the writes. */
async function writeFirst(server: TestServer, objects: Objects): Promise<readonly string[]> {
  const to = insertsInto(objects);
  const insert = (where: string, events: readonly object[]) =>
    post(server, `${where}/insert`, { events });
  const versions = [(await insert(to.log, numbers.map(row))).version];
  await server.request('POST', `${to.log}/insert`, `{"events":[${exact},${near}]}`);
  await insert(to.log, numbers.map(child));
  await insert(to.experiment, numbers.map(row));
  await insert(to.base, numbers.slice(2).map(row));
  await insert(to.dataset, numbers.map(record));
  await insert(to.alone, numbers.slice(0, 3).map(record));
  const said = { comment: 'why?', metadata: { by: 'me' }, source: 'app' };
  await post(server, `${to.experiment}/feedback`, {
    feedback: [{ id: 'r1', scores: { human: 0.5 }, expected: 'better', ...said }],
  });
  await post(server, `${to.dataset}/feedback`, { feedback: [{ id: 'd1', ...said }] });
  await server.settle();
  versions.push(
    (await insert(to.log, [{ id: 'r1', _is_merge: true, metadata: { note: 'merged' } }])).version,
  );
  await insert(to.log, [{ id: 'r2', _object_delete: true }, { ...row(3), input: 12 }, row(9)]);
  await insert(to.dataset, [{ id: 'd2', _object_delete: true }]);
  await server.request('PATCH', `/v1/prompt/${objects.prompt}`, { tags: ['v2'] });
  await server.settle();
  return versions;
}

/** What stays in the buffer. */
async function writeLast(server: TestServer, objects: Objects): Promise<readonly string[]> {
  const to = insertsInto(objects);
  const insert = (where: string, events: readonly object[]) =>
    post(server, `${where}/insert`, { events });
  const merges = [
    { id: 'r4', _is_merge: true, scores: { Factuality: 1 }, output: 'buffered' },
    { id: 'exact', _is_merge: true, metadata: { more: 'exact' } },
  ];
  const versions = [(await insert(to.log, merges)).version];
  await insert(to.log, [
    row(10),
    row(11),
    { ...child(10), id: 'c10' },
    { id: 'r6', _object_delete: true },
  ]);
  await insert(to.log, [
    { id: 'r10', _is_merge: true, _merge_paths: [['metadata']], metadata: { m: 1 } },
  ]);
  await insert(to.experiment, [
    { ...row(8), metrics: null },
    { id: 'r0', _object_delete: true },
  ]);
  await insert(to.dataset, [record(8), { ...record(1), expected: 'replaced' }]);
  await insert(to.alone, [{ id: 'd0', _is_merge: true, metadata: { later: true } }]);
  const said = { comment: 'buffered', source: 'api' };
  await post(server, `${to.experiment}/feedback`, { feedback: [{ id: 'r1', ...said }] });
  await post(server, `${to.log}/feedback`, { feedback: [{ id: 'r4', tags: ['seen'], ...said }] });
  await post(server, `/v1/prompt/${objects.prompt}/feedback`, {
    feedback: [{ id: objects.prompt, tags: ['good'], comment: 'short' }],
  });
  return versions;
}

const query = (text: string, more: object = {}) =>
  ['POST', '/query', { query: text, ...more }] as const;

const queriesOf = (kind: string, id: string): Kept =>
  [
    'select: * | sort: id',
    'dimensions: metadata.model as m | measures: count(1) as n, sum(scores.Factuality) as s | sort: m',
    'select: id, metadata["a.b"] as v, input.list[2].a as a | filter: tags includes "even" | sort: id',
    'select: id, comments, audit | filter: comments is not null | sort: id',
    'filter: metadata["a.b"] = 4 or error is not null | select: id, error',
  ].map((clauses) => query(`from: ${kind}('${id}') | ${clauses}`));

function requestsOf(objects: Objects, versions: readonly string[], cursor: string): Kept {
  const to = insertsInto(objects);
  const { project, experiment, base, dataset, alone, prompt } = objects;
  const kinds = ['project', 'experiment', 'dataset', 'prompt', 'role'];
  return [
    ...kinds.map((kind) => ['GET', `/v1/${kind}`] as const),
    ...Object.values(to).map((where) => ['GET', `${where}/fetch`] as const),
    ...versions.map((version) => ['GET', `${to.log}/fetch?version=${version}`] as const),
    ['GET', `${to.log}/fetch?limit=3&cursor=${encodeURIComponent(cursor)}`],
    [
      'POST',
      `${to.log}/fetch`,
      { filters: [{ type: 'path_lookup', path: ['metadata', 'model'], value: 'm1' }] },
    ],
    ...[to.log, to.experiment, to.dataset, `/v1/prompt/${prompt}`].map(
      (where) => ['GET', `${where}/feedback`] as const,
    ),
    ['GET', `/v1/experiment/${experiment}/summarize?summarize_scores=true`],
    ['GET', `/v1/dataset/${dataset}/summarize?summarize_data=true`],
    ...queriesOf('project_logs', project),
    ...queriesOf('experiment', experiment),
    query(`from: dataset('${dataset}', '${alone}') | select: * | sort: id, _xact_id`),
    query(
      `from: experiment('${base}', '${experiment}') | measures: sum(metrics.tokens) as t, count(1) as n`,
    ),
    query(`from: project_logs('${project}') | select: id | sort: id`, { version: versions[0] }),
    query(`from: project_logs('${project}') summary | select: * | sort: id`),
  ];
}

async function answersOf(server: TestServer, requests: Kept) {
  const answers = [];
  for (const [method, where, body] of requests) {
    const answer = await server.request(method, where, body);
    if (answer.status !== 200) throw new Error(`${where} ${JSON.stringify(body)}: ${answer.text}`);
    answers.push({ method, where, body, text: answer.text });
  }
  return answers;
}

function pack(directory: string, archive: string): void {
  const file = path.resolve(folder, `${archive}.tar.gz`);
  const options = ['--owner=0', '--group=0', '--exclude=./tmp', '-C', directory, '.'];
  execFileSync('tar', ['-I', 'gzip -9', '-cf', file, ...options]);
}

const scratch = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
try {
  const directory = path.join(scratch, 'data');
  const start = () =>
    startServer({
      dir: directory,
      environment: { EVALSTORE_PUBLIC_URL: 'http://evalstore.test' },
      // Small segments with narrow files, and no merges.
      tuning: { segments: { narrowRowsMin: 8 }, compaction: { fanOut: 100, supersededShare: 1 } },
    });
  const first = await start();
  await first.stop();
  const environment = { ...process.env, EVALSTORE_DATA_DIR: directory };
  const added = runEvalstore(['keys', 'add'], environment).stdout;
  const key = /: (\S+)/.exec(added)?.[1];
  const server = await start();
  const objects = await makeObjects(server);
  const versions = [...(await writeFirst(server, objects)), ...(await writeLast(server, objects))];
  const log = insertsInto(objects).log;
  const page = JSON.parse((await server.request('GET', `${log}/fetch?limit=3`)).text) as object;
  const cursor = String((page as { readonly cursor?: unknown }).cursor);
  const answers = await answersOf(server, requestsOf(objects, versions, cursor));
  await writeFile(
    path.join(directory, 'answers.json'),
    JSON.stringify({ log, experiment: objects.experiment, key, answers }),
  );
  await server.kill();
  const killed = path.join(scratch, 'killed');
  // A killed server leaves its socket, which cannot be copied.
  await cp(directory, killed, {
    recursive: true,
    filter: (name) => !name.endsWith('.sock'),
  });
  pack(killed, `${name}-killed`);
  const again = await start();
  await again.stop();
  pack(directory, name);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
