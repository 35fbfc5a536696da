// What the server has stored after a program, as a table says it.
import { expect } from 'chai';
import type { Json, TestServer } from '../../support/start-server.js';
import type { PythonEnvironment } from './run-python.js';

/** A row as far as a table tells it. What is left out may be anything, but for `parent` and `error`, which are then absent. */
export interface Row {
  readonly name?: string;
  readonly type?: string;
  /** The name of the span above. */
  readonly parent?: string | undefined;
  readonly error?: RegExp | undefined;
  readonly id?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly expected?: unknown;
  readonly tags?: readonly string[] | null;
  readonly scores?: Json | null;
  /** Some of its members. */
  readonly metadata?: Json;
  readonly metrics?: Json;
  readonly origin?: Json;
}

export interface Stored {
  readonly project: string;
  readonly logs?: readonly Row[];
  readonly experiments?: Readonly<Record<string, StoredExperiment>>;
  readonly datasets?: Readonly<Record<string, readonly Row[]>>;
  /** The `prompt_data` of each slug. */
  readonly prompts?: Readonly<Record<string, Json>>;
}

export interface StoredExperiment {
  /** The name of the experiment that it is compared with. */
  readonly base?: string;
  readonly metadata?: Json;
  /** The branch of its repository. */
  readonly branch?: string;
  readonly rows: readonly Row[];
}

export interface Program {
  readonly file: string;
  readonly environments: readonly [PythonEnvironment, ...PythonEnvironment[]];
  readonly command?: readonly [string, ...string[]];
  readonly variables?: Readonly<Record<string, string>>;
  /** What the program exits with; 0 by default. */
  readonly code?: number;
  /** The lines that it writes which are JSON. */
  readonly printed?: readonly unknown[];
  readonly stored: readonly Stored[];
}

const objectsOf = async (server: TestServer, path: string) =>
  (await server.get(path))['objects'] as readonly Json[];

const rowsOf = (server: TestServer, source: string, id: unknown) =>
  server.query(`select: * | from: ${source}('${String(id)}') spans | limit: 1000`);

const isPlain = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const some = (value: unknown, wanted: Json): unknown =>
  isPlain(value)
    ? Object.fromEntries(Object.keys(wanted).map((name) => [name, value[name]]))
    : value;

/** The same members of a stored row as the table has. */
function reduce(row: Json, wanted: Row, names: ReadonlyMap<unknown, unknown>): Json {
  const attributes = row['span_attributes'] as Json | null;
  const [parent] = (row['span_parents'] ?? []) as readonly string[];
  const error = row['error'];
  const fields = { ...row, name: attributes?.['name'], type: attributes?.['type'] };
  const reduced: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wanted))
    reduced[name] =
      name === 'metadata' || name === 'metrics' || name === 'origin'
        ? some(row[name], value as Json)
        : fields[name as keyof typeof fields];
  return {
    ...reduced,
    parent: parent && (names.get(parent) ?? parent),
    error: wanted.error?.test(String(error)) ? wanted.error : (error ?? undefined),
  };
}

const same = (left: unknown, right: unknown): boolean => {
  try {
    expect(left).to.deep.equal(right);
    return true;
  } catch {
    return false;
  }
};

const nameOf = (row: Json) => (row['span_attributes'] as Json | null)?.['name'];

/** Compares all rows with those of the table; of several rows with a name, each with the one that is most like it. */
function expectRows(rows: readonly Json[], wanted: readonly Row[], where: string): void {
  const names = new Map(rows.map((row) => [row['span_id'], nameOf(row)]));
  const left = new Set(rows);
  const whole = wanted.map((row) => ({ ...row, parent: row.parent, error: row.error }));
  const reduced = whole.map((row) => {
    const candidates = [...left].filter(
      (stored) => row.name === undefined || nameOf(stored) === row.name,
    );
    const found =
      candidates.find((stored) => same(reduce(stored, row, names), row)) ?? candidates[0] ?? {};
    left.delete(found);
    return reduce(found, row, names);
  });
  expect(reduced, where).to.deep.equal(whole);
  expect(
    [...left].map((row) => nameOf(row)),
    `${where}: more rows`,
  ).to.deep.equal([]);
}

async function expectExperiments(
  server: TestServer,
  project: Json,
  wanted: Readonly<Record<string, StoredExperiment>>,
): Promise<void> {
  const experiments = await objectsOf(server, `/v1/experiment?project_id=${String(project['id'])}`);
  const names = new Map(experiments.map(({ id, name }) => [id, name]));
  /** The name in the table; the server makes up that of `another`. */
  const inTable = ({ name }: Json) => (Object.hasOwn(wanted, name as string) ? name : 'another');
  expect(experiments.map(inTable)).to.have.members(Object.keys(wanted));
  for (const experiment of experiments) {
    const name = inTable(experiment) as string;
    const { base, metadata, branch, rows } = wanted[name]!;
    const where = `experiment ${name}`;
    expect(names.get(experiment['base_exp_id']), `${where}: base`).to.equal(base);
    if (metadata) expect(experiment['metadata'], where).to.deep.equal(metadata);
    expect((experiment['repo_info'] as Json | null)?.['branch'], where).to.equal(branch);
    expectRows(await rowsOf(server, 'experiment', experiment['id']), rows, where);
  }
}

/** Compares what a project holds with the table. */
export async function expectStored(server: TestServer, stored: Stored): Promise<void> {
  const [project] = await objectsOf(server, `/v1/project?project_name=${stored.project}`);
  expect(project, `project ${stored.project}`).to.be.an('object');
  const id = String(project!['id']);
  const logs = await rowsOf(server, 'project_logs', id);
  expectRows(logs, stored.logs ?? [], `logs of ${stored.project}`);
  await expectExperiments(server, project!, stored.experiments ?? {});
  const datasets = await objectsOf(server, `/v1/dataset?project_id=${id}`);
  expect(datasets.map(({ name }) => name)).to.have.members(Object.keys(stored.datasets ?? {}));
  for (const dataset of datasets) {
    const records = await rowsOf(server, 'dataset', dataset['id']);
    expectRows(records, stored.datasets![dataset['name'] as string]!, 'dataset');
  }
  const prompts = await objectsOf(server, `/v1/prompt?project_id=${id}`);
  const bySlug = Object.fromEntries(
    prompts.map((prompt) => [prompt['slug'], prompt['prompt_data']]),
  );
  expect(bySlug).to.deep.equal(stored.prompts ?? {});
}
