// Writes REPORT.md from the results of all runs.
import { isGenerated, type Results } from '../results.js';
import { section } from './markdown.js';
import { ingestTable, loadTable, pageTable, processTable } from './own-tables.js';
import { scalingSection } from './scaling.js';
import { summaryTable } from './summary.js';
import { losses, ratioTable, refusals, timeTable } from './tables.js';
import { targetTable } from './targets.js';

const intro = `# Benchmark

\`npm run bench\` generates this page from the files in \`results/\`. All contenders of a run hold the same events on the same
machine. A time counts only if the answer equals that of the first contender; numbers may differ by a relative error of 1e-9.
Times are medians of rounds that visit all contenders in turn, measured at the client: Evalstore over HTTP, PostgreSQL over
TCP, DuckDB and ClickHouse in the process of the benchmark.

- **the limit**: hand-written SQL over one Parquet file with a typed column for every path and the JSON text
  (zstd, row groups of 122,880), in DuckDB with the threads and memory of Evalstore's queries
- **DuckDB, JSON text**: the same SQL over a file with only the JSON text
- **ClickHouse, native JSON**: the type \`JSON\` for scores, metadata, metrics, context and span attributes
- **PostgreSQL, JSONB**: loaded in durable batches of 1,000 on 8 connections, with indexes on (object, created), (object, id),
  \`metadata->>'model'\`, and GIN on metadata; an index on (object, root_span_id) is created after the load

Bulk loads send requests of 1,000 events on 8 connections to Evalstore and PostgreSQL; DuckDB and ClickHouse read
the file of events directly. Single events are one per request, durable when acknowledged, and counted
afterwards.`;

const repeat = `## How to repeat

\`\`\`sh
npm ci && npm ci --prefix bench
npm run bench -- --events 100000
\`\`\`

\`--events\` sets the number of events (the other sizes of this report are 1000000 and 10000000), \`--only evalstore,limit\` selects
contenders, \`--rounds\` and \`--loads\` set the numbers of repetitions (default 5), and \`--file example_model_solutions.jsonl\`
reads the real file of grade-school-math instead of generated events. The benchmark uses the PostgreSQL in \`/usr/lib/postgresql\`
(Debian: \`apt-get install postgresql\`) on a free port with its own data directory. \`npm run bench -- report\`
regenerates this page, its plots and the table of the README from \`results/\`; \`results/<name>.md\` holds the notes on a
run.

\`npm run bench -- eval\` measures an Eval of 1,000 cases with the newest SDK, with instant tasks and with tasks of 20 ms, and compares it with the
same Eval that stores nothing. \`waitingShare\` is the share of wall time in which its process waits for the server.

\`npm run bench -- frames\` measures eight paths of 200,000 rows without and with integers beyond 2^53, and \`select *\` as Parquet and as Arrow, from
the buffer and from segments, and the time to the first byte of each answer.

\`npm run bench -- import\` times \`evalstore import\` of a file of JSON Lines beside the bulk load of the same events, each into a new server. A
million events of 2.4 KB, medians of two rounds on two processors: 12,660 events/s (30 MB/s) beside 13,089, 0.97 of the bulk load; the command takes
304 MB at most.

\`npm run bench -- http\` measures the processor time of the server for small requests, also with authentication and permissions off.
On a busy machine an insert of one event took 284 µs with them and 296 µs without, one of no event 260 and 252.
\`npm run bench -- timing\` alternates requests for an unreadable object and for a missing one, and estimates the probability that the
first takes longer; 0.5 means that the times are indistinguishable. 4,000 requests of each kind gave 0.491 to 0.502. \`npm run bench -- soak\`
runs twenty minutes of mixed load with limits; \`results/soak.md\` has the latest result.

\`npm run bench -- cluster\` asks a server with a bucket and a Trino cluster the same questions; it takes Trino from where
\`test/cluster/fetch.sh\` puts it, and writes \`results/cluster.md\`, the last section.`;

const loadText = ({ loadBefore, load }: Results['machine']): string =>
  `Load average: ${loadBefore} in the minute before the run, ${load.mean.toFixed(1)} on average during it, ` +
  `${load.highest.toFixed(1)} at most, including the run itself; other processes used ` +
  `${load.othersCores.toFixed(2)} cores on average.`;

const setting = ({
  machine,
  threads,
  memoryMb,
  rounds,
  seed,
  datasetBytes,
  events,
}: Results): string =>
  `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB; ${machine.system}, Node ${machine.node}; ` +
  `${machine.date}, commit ${machine.revision}. Queries have ${threads} threads and ${memoryMb} MB; ${rounds} rounds; ` +
  `${seed > 0 ? `seed ${seed}, ` : ''}${Math.round(datasetBytes / events)} bytes of JSON per event.`;

const versions = ({ contenders }: Results): string =>
  `Versions: ${[...new Set(contenders.map(({ version }) => version))].join(', ')}. ` +
  `Loads: ${Math.max(...contenders.map(({ inserts }) => inserts.length))} of each; the table has the medians.`;

/** The targets are for this size, on an idle machine with two cores. */
const targetEvents = 1_000_000;

const targets = (results: Results): readonly (string | null)[] =>
  isGenerated(results) && results.events === targetEvents
    ? [
        '### Targets',
        'On an idle machine with two cores. A question within 5 ms of a limit below 20 ms counts as equal to the limit.',
        targetTable(results),
      ]
    : [];

export const timesPlotOf = ({ name }: Results): string => `results/${name}-times.svg`;
export const loadPlotOf = ({ name }: Results): string => `results/${name}-load.svg`;

export const titleOf = ({ events, profile }: Results): string =>
  `${events.toLocaleString('en-US')} events, ${profile}`;

const runSection = (results: Results, notes: string): string =>
  section(
    titleOf(results),
    setting(results),
    loadText(results.machine),
    versions(results),
    notes,
    summaryTable(results),
    ...targets(results),
    '### Ratios',
    "Evalstore's time divided by the other's; below 1, Evalstore is faster.",
    ratioTable(results),
    losses(results, 'clickhouse'),
    '### Times',
    `![Times of all contenders](${timesPlotOf(results)})`,
    timeTable(results),
    refusals(results),
    '### Loading, single events, pages, process',
    `![Bulk load](${loadPlotOf(results)})`,
    loadTable(results),
    ingestTable(results),
    pageTable(results),
    processTable(results),
  );

/**
 * The text of the report, largest run first. `runs` are in ascending order of size, `notes` Markdown by run name, `cluster` the section on
 * the cluster, if there is one.
 */
export const reportText = (
  runs: readonly Results[],
  notes: ReadonlyMap<string, string>,
  cluster: string,
): string => {
  const sections = runs.map((run) => runSection(run, notes.get(run.name)?.trim() ?? ''));
  return [intro, repeat, ...sections.toReversed(), scalingSection(runs), cluster.trim()]
    .filter((part) => part !== null && part !== '')
    .join('\n\n')
    .concat('\n');
};
