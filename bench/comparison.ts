// Two experiments over the same inputs -> how long the summary of one against the other takes.
import { createReadStream, createWriteStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { AnswerRow } from './contenders/contender.js';
import type { Evalstore } from './contenders/evalstore.js';
import { eventBatches, type Dataset } from './generator/dataset.js';
import type { GeneratedEvent } from './generator/events.js';
import { scoreNames } from './generator/span-content.js';
import type { Options } from './options.js';
import { ask, type Asked, type Outcome } from './questions/ask.js';
import type { Question } from './questions/question.js';

const rowsMax = 20_000;
const rowsPerRequest = 1000;
const sides = ['this', 'other'] as const;

type Side = (typeof sides)[number];

/** One line a row: a side and an event. */
interface SideRow {
  readonly side: Side;
  readonly event: GeneratedEvent;
}

const columnList = scoreNames.map((name) => `"${name}"`).join(', ');

const summarySql = `
  WITH long AS (UNPIVOT comparison ON ${columnList} INTO NAME name VALUE value),
    trace AS (SELECT side, root_span_id, name, avg(value) AS value FROM long GROUP BY ALL),
    root AS (SELECT side, root_span_id, input_hash FROM comparison WHERE is_root),
    bucket AS (SELECT side, input_hash, name, avg(value) AS value
      FROM trace JOIN root USING (side, root_span_id) GROUP BY ALL),
    matched AS (SELECT name, a.value - b.value AS difference FROM bucket a JOIN bucket b USING (input_hash, name)
      WHERE a.side = 'this' AND b.side = 'other'),
    changes AS (SELECT name, avg(difference) AS diff, count_if(difference > 0) AS improvements,
      count_if(difference < 0) AS regressions FROM matched GROUP BY name)
  SELECT name, avg(value) AS score, any_value(diff) AS diff, any_value(improvements) AS improvements,
    any_value(regressions) AS regressions
  FROM trace LEFT JOIN changes USING (name) WHERE side = 'this' GROUP BY name`;

export const comparisonQuestion: Question = {
  name: 'experiment-comparison',
  group: 'comparison',
  title: `summary of an experiment of ${rowsMax / 1000},000 rows against another`,
  columns: {
    name: 'text',
    score: 'number',
    diff: 'number',
    improvements: 'number',
    regressions: 'number',
  },
  evalstore: 'GET /v1/experiment/{id}/summarize',
  duckdb: summarySql,
  clickhouse: '',
  postgres: '',
};

/** The other experiment has the same rows with lower scores on every second one. */
function otherScores(event: GeneratedEvent, index: number): GeneratedEvent {
  if (event.scores === undefined || index % 2 === 0) return event;
  const scores = Object.entries(event.scores).map(
    ([name, score]) => [name, score === null ? null : score / 2] as const,
  );
  return { ...event, scores: Object.fromEntries(scores) };
}

async function* sideRows(dataset: Dataset): AsyncGenerator<string> {
  let index = 0;
  for await (const lines of eventBatches(dataset, rowsPerRequest)) {
    for (const line of lines) {
      const event = JSON.parse(line) as GeneratedEvent;
      yield `${JSON.stringify({ side: 'this', event } satisfies SideRow)}\n`;
      yield `${JSON.stringify({ side: 'other', event: otherScores(event, index++) } satisfies SideRow)}\n`;
    }
    if (index >= rowsMax) return;
  }
}

async function openLimit(file: string, directory: string, options: Options) {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(options.threads) });
  const connection = await instance.connect();
  const scores = scoreNames
    .map((name) => `(event->'scores'->>'${name}')::DOUBLE AS "${name}"`)
    .join(', ');
  const parquet = path.join(directory, 'comparison.parquet');
  await connection.run(`COPY (SELECT side, event->>'root_span_id' AS root_span_id,
    (event->'span_parents') IS NULL AS is_root, md5(event->>'input') AS input_hash, ${scores}
    FROM read_json('${file}', format = 'newline_delimited', columns = {side: 'VARCHAR', event: 'JSON'}))
    TO '${parquet}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)`);
  await connection.run(`CREATE VIEW comparison AS SELECT * FROM read_parquet('${parquet}')`);
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  return { limit: limitSide(connection), close };
}

const limitSide = (connection: DuckDBConnection): Asked => ({
  name: 'limit',
  answer: async ({ duckdb }) => (await connection.runAndReadAll(duckdb)).getRowObjectsJS(),
});

async function createExperiments(evalstore: Evalstore): Promise<Readonly<Record<Side, string>>> {
  const project_id = await evalstore.createProject('comparison');
  const create = async (name: Side) => {
    const experiment = await evalstore
      .client()
      .post('/v1/experiment', JSON.stringify({ project_id, name }));
    return (experiment as { id: string }).id;
  };
  return { this: await create('this'), other: await create('other') };
}

async function insertSides(
  evalstore: Evalstore,
  ids: Readonly<Record<Side, string>>,
  file: string,
): Promise<void> {
  const waiting: Record<Side, GeneratedEvent[]> = { this: [], other: [] };
  const send = async (side: Side) => {
    const events = waiting[side].splice(0);
    if (events.length > 0)
      await evalstore
        .client()
        .post(`/v1/experiment/${ids[side]}/insert`, JSON.stringify({ events }));
  };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { side, event } = JSON.parse(line) as SideRow;
    if (waiting[side].push(event) === rowsPerRequest) await send(side);
  }
  for (const side of sides) await send(side);
}

/** As the summary names them; a score without anything to compare has no `diff`. */
interface Summary {
  readonly scores: Readonly<Record<string, AnswerRow>>;
}

async function evalstoreSide(evalstore: Evalstore, file: string): Promise<Asked> {
  const ids = await createExperiments(evalstore);
  await insertSides(evalstore, ids, file);
  const address = `/v1/experiment/${ids.this}/summarize?summarize_scores=true&comparison_experiment_id=${ids.other}`;
  return {
    name: 'evalstore',
    answer: async () => Object.values(((await evalstore.client().get(address)) as Summary).scores),
  };
}

/** Up to 20,000 rows in each of the two experiments. */
export async function compareExperiments(
  evalstore: Evalstore,
  dataset: Dataset,
  options: Options,
): Promise<readonly Outcome[]> {
  const directory = path.join(options.directory, 'run');
  const file = path.join(directory, 'comparison.ndjson');
  await pipeline(Readable.from(sideRows(dataset)), createWriteStream(file));
  const { limit, close } = await openLimit(file, directory, options);
  try {
    const own = await evalstoreSide(evalstore, file);
    return await ask([limit, own], comparisonQuestion, [{ id: '', trace: '' }], options.rounds);
  } finally {
    close();
  }
}
