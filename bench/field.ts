// Opens the contenders of a run and feeds them: several times, of which the last stays to be asked.
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { openClickhouse } from './contenders/clickhouse.js';
import type { Contender, ContenderName, Surroundings } from './contenders/contender.js';
import { openDuckdbFile } from './contenders/duckdb-file.js';
import { openEvalstore, type Evalstore } from './contenders/evalstore.js';
import { openPostgres } from './contenders/postgres.js';
import type { Corpus } from './corpus.js';
import { loadBare } from './ingest/bare-ingest.js';
import { median, secondsOf } from './measure.js';
import type { Options } from './options.js';
import type { ContenderResult } from './results.js';

export type Say = (line: string) => void;

/** The limit first: its answers are what the others are held to. */
const openers = {
  limit: (surroundings: Surroundings) => openDuckdbFile('limit', surroundings),
  'duckdb-json': (surroundings: Surroundings) => openDuckdbFile('duckdb-json', surroundings),
  clickhouse: openClickhouse,
  postgres: openPostgres,
  evalstore: openEvalstore,
} as const satisfies Record<ContenderName, (surroundings: Surroundings) => Promise<Contender>>;

export interface Field {
  readonly contenders: readonly Contender[];
  readonly evalstore: Evalstore | null;
  readonly results: readonly ContenderResult[];
  /** Contenders that could not take part, with the reason. */
  readonly absent: Readonly<Record<string, string>>;
  /** Seconds of each load of the bare store, which takes part where Evalstore does. */
  readonly bareInserts: readonly number[];
}

/** What is known of a contender while the loads go on. */
interface Entrant {
  readonly name: ContenderName;
  readonly directory: string;
  readonly inserts: number[];
  contender: Contender | null;
  failure: string | null;
}

async function empty(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
}

async function insertInto(entrant: Entrant, options: Options, root: string, corpus: Corpus) {
  const { name, directory } = entrant;
  await empty(directory);
  const { threads, memoryMb } = options;
  const { leaves, dataset } = corpus;
  entrant.contender = await openers[name]({ directory, root, threads, memoryMb, leaves });
  entrant.inserts.push(await secondsOf(() => entrant.contender!.insert(dataset)));
}

async function resultOf({ name, contender, inserts }: Entrant): Promise<ContenderResult> {
  const { title, version, settle, bytesOnDisk } = contender!;
  return {
    name,
    title,
    version,
    inserts,
    insertSeconds: median(inserts),
    settleSeconds: await secondsOf(settle),
    bytesOnDisk: await bytesOnDisk(),
  };
}

/** Runs the work unless the contender has failed before; one that fails takes part no longer. */
async function attempt(entrant: Entrant, say: Say, work: () => Promise<void>): Promise<void> {
  if (entrant.failure !== null) return;
  try {
    await work();
  } catch (error) {
    entrant.failure = error instanceof Error ? error.message : String(error);
    say(`${entrant.name}: absent, ${entrant.failure}`);
    await entrant.contender?.close();
    entrant.contender = null;
  }
}

/** Throws what ends the run; a contender that cannot be opened or fed is absent. */
export async function loadField(
  options: Options,
  root: string,
  corpus: Corpus,
  say: Say,
): Promise<Field> {
  const runDirectory = path.join(options.directory, 'run');
  await empty(runDirectory);
  const entrants = (Object.keys(openers) as ContenderName[])
    .filter((name) => options.only.includes(name))
    .map((name): Entrant => {
      const directory = path.join(runDirectory, name);
      return { name, directory, inserts: [], contender: null, failure: null };
    });
  const bareInserts: number[] = [];
  for (let load = 1; load <= options.loads; load++) {
    for (const entrant of entrants)
      await attempt(entrant, say, async () => {
        await entrant.contender?.close();
        await insertInto(entrant, options, root, corpus);
        say(`${entrant.name}: load ${load} in ${entrant.inserts.at(-1)!.toFixed(1)} s`);
      });
    if (options.only.includes('evalstore'))
      bareInserts.push(await loadBare(corpus.dataset, runDirectory));
  }
  const results: ContenderResult[] = [];
  for (const entrant of entrants)
    await attempt(entrant, say, async () => void results.push(await resultOf(entrant)));
  const contenders = entrants.flatMap(({ contender }) => contender ?? []);
  const evalstore = contenders.find(({ name }) => name === 'evalstore');
  const absent = Object.fromEntries(
    entrants.flatMap(({ name, failure }) => (failure === null ? [] : [[name, failure] as const])),
  );
  return {
    contenders,
    evalstore: (evalstore as Evalstore | undefined) ?? null,
    results,
    absent,
    bareInserts,
  };
}
