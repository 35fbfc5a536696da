// Options -> results: generates the events, feeds every contender, asks every question.
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compareExperiments } from './comparison.js';
import { openClickhouse } from './contenders/clickhouse.js';
import type { Contender, ContenderName, Surroundings } from './contenders/contender.js';
import { openDuckdbFile } from './contenders/duckdb-file.js';
import { openEvalstore, type Evalstore } from './contenders/evalstore.js';
import { openPostgres } from './contenders/postgres.js';
import { prepareDataset, type Dataset } from './generator/dataset.js';
import { excerpt } from './generator/excerpt.js';
import type { GeneratedEvent } from './generator/events.js';
import { ingestBare, loadBare } from './ingest/bare-ingest.js';
import { ingestEvalstore } from './ingest/evalstore-ingest.js';
import type { Ingest } from './ingest/ingest.js';
import { describeMachine } from './machine.js';
import type { Options } from './options.js';
import { measurePages } from './pages.js';
import { ask, type Outcome } from './questions/ask.js';
import { askExport } from './questions/export.js';
import { questions } from './questions/questions.js';
import type { Sample } from './questions/question.js';
import type { ContenderResult, ProcessResult, Results } from './results.js';

type Say = (line: string) => void;

/** The limit first: its answers are what the others are held to. */
const openers = {
  limit: (surroundings: Surroundings) => openDuckdbFile('limit', surroundings),
  'duckdb-json': (surroundings: Surroundings) => openDuckdbFile('duckdb-json', surroundings),
  clickhouse: openClickhouse,
  postgres: openPostgres,
  evalstore: openEvalstore,
} as const satisfies Record<ContenderName, (surroundings: Surroundings) => Promise<Contender>>;

const exportName = 'export';

interface Field {
  readonly contenders: Contender[];
  readonly evalstore: Evalstore | null;
  readonly results: ContenderResult[];
  readonly absent: Record<string, string>;
}

async function openAndLoad(
  name: ContenderName,
  options: Options,
  root: string,
  dataset: Dataset,
): Promise<{ readonly contender: Contender; readonly result: ContenderResult }> {
  const directory = path.join(options.directory, 'run', name);
  await mkdir(directory, { recursive: true });
  const { threads, memoryMb } = options;
  const contender = await openers[name]({ directory, root, threads, memoryMb });
  try {
    const { inserting, settling } = await contender.load(dataset);
    const result = {
      name,
      title: contender.title,
      version: contender.version,
      insertSeconds: inserting,
      settleSeconds: settling,
      bytesOnDisk: await contender.bytesOnDisk(),
    };
    return { contender, result };
  } catch (error) {
    await contender.close();
    throw error;
  }
}

async function loadAll(options: Options, root: string, dataset: Dataset, say: Say): Promise<Field> {
  const field = {
    contenders: [] as Contender[],
    results: [] as ContenderResult[],
    absent: {} as Record<string, string>,
  };
  const wanted = (Object.keys(openers) as ContenderName[]).filter((name) =>
    options.only.includes(name),
  );
  for (const name of wanted) {
    try {
      const { contender, result } = await openAndLoad(name, options, root, dataset);
      field.contenders.push(contender);
      field.results.push(result);
      say(`${name}: loaded in ${result.insertSeconds.toFixed(1)} s`);
    } catch (error) {
      field.absent[name] = error instanceof Error ? error.message : String(error);
      say(`${name}: absent, ${field.absent[name]}`);
    }
  }
  const evalstore = field.contenders.find((contender) => contender.name === 'evalstore');
  return { ...field, evalstore: (evalstore as Evalstore | undefined) ?? null };
}

const describe = (outcome: Outcome): string =>
  `${outcome.contender} ${outcome.median?.toFixed(1) ?? `${outcome.status}: ${outcome.reason}`}`;

async function askAll(
  contenders: readonly Contender[],
  samples: readonly Sample[],
  options: Options,
  say: Say,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    const found = await ask(contenders, question, samples, options.rounds);
    say(`${question.name}: ${found.map(describe).join(', ')}`);
    outcomes.push(...found);
  }
  const directory = path.join(options.directory, 'run');
  const exported = await askExport(contenders, directory, options.events, options.rounds);
  say(`${exportName}: ${exported.map(describe).join(', ')}`);
  return [...outcomes, ...exported];
}

/** After everything else, since it ends the process. */
async function measureProcess(evalstore: Evalstore, idleSeconds: number): Promise<ProcessResult> {
  const peakMemoryMb = await evalstore.memoryMb('peak');
  const startSeconds = await evalstore.restart('stop');
  const startAfterKillSeconds = await evalstore.restart('kill');
  await sleep(idleSeconds * 1000);
  const idleMemoryMb = await evalstore.memoryMb('now');
  return { startSeconds, startAfterKillSeconds, idleSeconds, idleMemoryMb, peakMemoryMb };
}

async function ingestAll(
  evalstore: Evalstore,
  events: readonly GeneratedEvent[],
  say: Say,
): Promise<readonly Ingest[]> {
  const found = [...(await ingestEvalstore(evalstore, events)), await ingestBare(events)];
  for (const { contender, workload, requestsPerSecond, p99Ms } of found)
    say(
      `ingest ${workload}, ${contender}: ${requestsPerSecond.toFixed(0)} requests/s, p99 ${p99Ms.toFixed(0)} ms`,
    );
  return found;
}

/** A server that does not start again is a result, and no reason to lose the others. */
async function tryProcess(
  evalstore: Evalstore,
  idleSeconds: number,
): Promise<Pick<Results, 'process' | 'processFailure'>> {
  try {
    return { process: await measureProcess(evalstore, idleSeconds), processFailure: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { process: null, processFailure: reason.split('\n')[0] ?? reason };
  }
}

type OwnResults = Pick<
  Results,
  'processFailure' | 'pages' | 'ingest' | 'bareLoadSeconds' | 'process'
>;

const nothingMeasured: OwnResults = {
  processFailure: null,
  pages: [],
  ingest: [],
  bareLoadSeconds: null,
  process: null,
};

/** What Evalstore alone is asked; in order, since the last step ends the process. */
async function measureOwn(
  evalstore: Evalstore,
  dataset: Dataset,
  first: readonly GeneratedEvent[],
  options: Options,
  say: Say,
): Promise<OwnResults> {
  return {
    pages: await measurePages(evalstore, options.rounds),
    ingest: await ingestAll(evalstore, first, say),
    bareLoadSeconds: await loadBare(dataset, path.join(options.directory, 'run')),
    ...(await tryProcess(evalstore, options.idleSeconds)),
  };
}

async function generate(options: Options, say: Say): Promise<Dataset> {
  const start = performance.now();
  const { directory, seed, events, profile } = options;
  const dataset = await prepareDataset(directory, seed, events, profile);
  const seconds = (performance.now() - start) / 1000;
  say(
    `${events} events, ${Math.round(dataset.bytes / events)} bytes each, ready in ${seconds.toFixed(1)} s`,
  );
  return dataset;
}

/** The contenders' data are removed at the end; the generated events are kept for the next run. */
export async function runBenchmark(options: Options, root: string, say: Say): Promise<Results> {
  const { name, events, profile, seed, rounds, threads, memoryMb } = options;
  const machine = await describeMachine(root);
  const directory = path.join(options.directory, 'run');
  await rm(directory, { recursive: true, force: true });
  const dataset = await generate(options, say);
  const { samples, first } = await excerpt(dataset);
  const field = await loadAll(options, root, dataset, say);
  const { evalstore, contenders, absent, results } = field;
  const asked = { name, events, profile, seed, rounds, threads, memoryMb };
  try {
    const outcomes = await askAll(contenders, samples, options, say);
    const compared =
      evalstore === null ? [] : await compareExperiments(evalstore, dataset, options);
    say(`experiments: ${compared.map(describe).join(', ')}`);
    const own =
      evalstore === null
        ? nothingMeasured
        : await measureOwn(evalstore, dataset, first, options, say);
    const measured = { datasetBytes: dataset.bytes, machine, contenders: results, absent };
    return { ...asked, ...measured, outcomes: [...outcomes, ...compared], ...own };
  } finally {
    // One that cannot be closed must not hide why the run failed.
    await Promise.allSettled(contenders.map((contender) => contender.close()));
    await rm(directory, { recursive: true, force: true });
  }
}
