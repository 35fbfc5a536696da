// Options -> results: prepares the events, feeds every contender, asks every question.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { compareExperiments } from './comparison/comparison.js';
import { comparisonQuestion } from './comparison/question.js';
import { prepareCorpus, type Corpus } from './corpus.js';
import { loadField, type Field, type Say } from './field.js';
import type { Evalstore } from './contenders/evalstore.js';
import { excerpt, type Excerpt } from './generator/excerpt.js';
import { ingestAll } from './ingest/workloads.js';
import { describeMachine } from './machine.js';
import { watchLoad } from './machine-load.js';
import type { Options } from './options.js';
import { measurePages } from './pages.js';
import { attemptInto, type Attempt } from './attempt.js';
import { measureProcess } from './process.js';
import { ask, type Outcome } from './questions/ask.js';
import { askExport, exportQuestion } from './questions/export.js';
import type { AskedQuestion, Results } from './results.js';

const describe = (outcome: Outcome): string =>
  `${outcome.contender} ${outcome.median?.toFixed(1) ?? `${outcome.status}: ${outcome.reason}`}`;

async function askAll(
  { contenders, evalstore }: Field,
  { dataset, questions, isGenerated }: Corpus,
  { samples }: Excerpt,
  options: Options,
  attempt: Attempt,
  say: Say,
): Promise<Pick<Results, 'outcomes' | 'questions'>> {
  const outcomes: Outcome[] = [];
  const asked: AskedQuestion[] = [];
  const take = async (
    { name, group, title }: AskedQuestion,
    work: () => Promise<readonly Outcome[]>,
  ) => {
    const found = (await attempt(name, work)) ?? [];
    say(`${name}: ${found.map(describe).join(', ')}`);
    outcomes.push(...found);
    asked.push({ name, group, title });
  };
  for (const question of questions)
    await take(question, () => ask(contenders, question, samples, options.rounds));
  const directory = path.join(options.directory, 'run');
  await take(exportQuestion, () => askExport(contenders, directory, options.rounds));
  if (isGenerated && evalstore !== null)
    await take(comparisonQuestion, () =>
      compareExperiments(contenders, evalstore, dataset, options),
    );
  return { outcomes, questions: asked };
}

/** In order: the last step adds rows and ends the process. */
async function measureOthers(
  { contenders, evalstore }: Field,
  { dataset, isGenerated }: Corpus,
  { first }: Excerpt,
  { rounds, idleSeconds }: Options,
  attempt: Attempt,
): Promise<Pick<Results, 'pages' | 'ingest' | 'process'>> {
  const ofEvalstore = async <T>(what: string, work: (server: Evalstore) => Promise<T>) =>
    evalstore === null ? null : attempt(what, () => work(evalstore));
  const pages = await ofEvalstore('pages', (server) => measurePages(server, rounds));
  const ingest = isGenerated ? await ingestAll(contenders, first, rounds, attempt) : [];
  const process = await ofEvalstore('process', (server) =>
    measureProcess(server, dataset, rounds, idleSeconds),
  );
  await ofEvalstore('check-data', (server) => server.check());
  return { pages: pages ?? [], ingest, process };
}

async function prepare(options: Options, say: Say): Promise<Corpus> {
  const corpus = await prepareCorpus(options);
  const { events, bytes } = corpus.dataset;
  say(`${events} events, ${Math.round(bytes / events)} bytes each`);
  return corpus;
}

/** The contenders' data are removed at the end; the generated events are kept for the next run. */
export async function runBenchmark(options: Options, root: string, say: Say): Promise<Results> {
  const machine = await describeMachine(root);
  const corpus = await prepare(options, say);
  const sampled = await excerpt(corpus.dataset);
  const unwatch = await watchLoad();
  const field = await loadField(options, root, corpus, say);
  const { contenders, results, absent, bareInserts } = field;
  try {
    const failures: string[] = [];
    const attempt = attemptInto(failures, say);
    const asked = await askAll(field, corpus, sampled, options, attempt, say);
    const others = await measureOthers(field, corpus, sampled, options, attempt);
    const { name, rounds, threads, memoryMb } = options;
    const { events, profile, seed, bytes: datasetBytes } = corpus.dataset;
    const setting = { name, events, profile, seed, datasetBytes, rounds, threads, memoryMb };
    const load = await unwatch();
    const fed = { machine: { ...machine, load }, contenders: results, absent, bareInserts };
    return { ...setting, ...fed, ...asked, ...others, failures };
  } finally {
    // One that cannot be closed must not hide why the run failed.
    await Promise.allSettled(contenders.map((contender) => contender.close()));
    await rm(path.join(options.directory, 'run'), { recursive: true, force: true });
  }
}
