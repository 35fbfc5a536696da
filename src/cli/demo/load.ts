// Logs the problems as a dataset, and the answers of each model as an experiment.
import type { Client } from '../connection.js';
import type { Problem } from './problems.js';

export interface Loaded {
  readonly id: string;
  readonly name: string;
  /** The first experiment of the same model, which is the base of the comparison. */
  readonly base: Loaded | null;
}

interface Dataset {
  readonly id: string;
  readonly version: string;
}

interface Target {
  readonly client: Client;
  readonly projectId: string;
  readonly problems: readonly Problem[];
  readonly progress: (line: string) => void;
}

const recordId = (index: number): string => `problem-${index + 1}`;

const toRecord = ({ question, groundTruth }: Problem, index: number) => ({
  id: recordId(index),
  input: question,
  expected: groundTruth,
});

const modelOf = (contestant: string): string => contestant.split('_')[0] ?? contestant;

function toEvent(problem: Problem, index: number, contestant: string) {
  const answer = problem.answers.get(contestant);
  const [model, ...method] = contestant.split('_');
  return {
    input: problem.question,
    output: answer?.solution ?? null,
    expected: problem.groundTruth,
    scores: { correct: answer === undefined ? null : Number(answer.isCorrect) },
    metadata: { model, method: method.join('_') },
    dataset_record_id: recordId(index),
  };
}

const eventsPerRequest = 200;

/** Inserts events in batches. Returns the version of their object after the last one. */
async function insert(
  client: Client,
  path: string,
  events: readonly object[],
  progress: (stored: number) => void,
): Promise<string> {
  let version = '';
  for (let start = 0; start < events.length; start += eventsPerRequest) {
    const batch = events.slice(start, start + eventsPerRequest);
    const response = await client.send('POST', `${path}/insert`, { events: batch });
    version = response.headers.get('x-evalstore-version') ?? '';
    progress(start + batch.length);
  }
  return version;
}

async function loadDataset({ client, projectId, problems, progress }: Target): Promise<Dataset> {
  const { id } = await client.post<{ id: string }>('/v1/dataset', {
    project_id: projectId,
    name: 'problems',
  });
  const version = await insert(client, `/v1/dataset/${id}`, problems.map(toRecord), (stored) =>
    progress(`problems: ${stored} of ${problems.length} records`),
  );
  return { id, version };
}

async function loadExperiment(
  { client, projectId, problems, progress }: Target,
  contestant: string,
  dataset: Dataset,
  base: Loaded | null,
): Promise<Loaded> {
  const { id, name } = await client.post<{ id: string; name: string }>('/v1/experiment', {
    project_id: projectId,
    name: contestant,
    ensure_new: true,
    dataset_id: dataset.id,
    dataset_version: dataset.version,
    base_exp_id: base?.id ?? null,
  });
  const events = problems.map((problem, index) => toEvent(problem, index, contestant));
  await insert(client, `/v1/experiment/${id}`, events, (stored) =>
    progress(`${contestant}: ${stored} of ${problems.length} events`),
  );
  return { id, name, base };
}

/** Returns the new experiments, one per model and method. */
export async function loadProblems(
  client: Client,
  projectName: string,
  problems: readonly Problem[],
  progress: (line: string) => void,
): Promise<readonly Loaded[]> {
  const project = await client.post<{ id: string }>('/v1/project', { name: projectName });
  const target = { client, projectId: project.id, problems, progress };
  const dataset = await loadDataset(target);
  const bases = new Map<string, Loaded>();
  const experiments: Loaded[] = [];
  for (const contestant of problems[0]?.answers.keys() ?? []) {
    const model = modelOf(contestant);
    const base = bases.get(model) ?? null;
    const loaded = await loadExperiment(target, contestant, dataset, base);
    experiments.push(loaded);
    if (base === null) bases.set(model, loaded);
  }
  return experiments;
}
