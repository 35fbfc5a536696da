// A client that uses a new key name in every event, beside one that uses the same names: what its segments, the manifest and the next
// start take is bounded all the same. Memory is printed.
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { peakMemoryMb } from '../support/attack.js';
import { createProject } from '../support/objects.js';
import { startServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const events = 12_000;
const batch = 500;
const environment = { EVALSTORE_FLUSH_ROWS: '4000' };

interface Weight {
  /** Of the segment that has the most. */
  readonly columns: number;
  readonly manifestMb: number;
  readonly segmentsMb: number;
  readonly memoryMb: number;
  /** Processor time until it listens, in seconds. */
  readonly startSeconds: number;
}

const megabyte = 2 ** 20;

const event = (name: string, number: number) => ({
  id: `row ${number}`,
  input: { [name]: `question ${number}` },
  metadata: { [name]: number, nested: { [name]: 'text' }, model: 'small' },
  scores: { [name]: 1 },
  metrics: { [name]: number },
});

async function processorSeconds(pid: number): Promise<number> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function sizes(directory: string, wanted: RegExp): Promise<readonly [string, number][]> {
  const names = await readdir(directory, { recursive: true });
  return Promise.all(
    names
      .filter((name) => wanted.test(name))
      .map(async (name): Promise<[string, number]> => {
        const file = path.join(directory, name);
        return [file, (await stat(file)).size];
      }),
  );
}

const total = (files: readonly [string, number][]): number =>
  files.reduce((sum, [, size]) => sum + size, 0) / megabyte;

async function weigh(dir: string, nameOf: (number: number) => string): Promise<Weight> {
  const server = await startServer({ dir, environment, tuning: {} });
  const { id } = await createProject(server);
  const where = `/v1/project_logs/${id}`;
  for (let first = 0; first < events; first += batch) {
    const list = Array.from({ length: batch }, (_, n) => event(nameOf(first + n), first + n));
    const { status, text } = await server.request('POST', `${where}/insert`, { events: list });
    expect(status, text).to.equal(200);
  }
  await server.settle();
  const name = nameOf(events - 1);
  const query = `select: metadata."${name}" as value, scores."${name}" as score | filter: metadata."${name}" = ${events - 1} | from: project_logs('${id}')`;
  const answer = await server.post('/query', { query });
  expect(answer['data']).to.deep.equal([{ value: events - 1, score: 1 }]);
  const memoryMb = await peakMemoryMb(server.pid);
  await server.stop();
  const segments = await sizes(path.join(dir, 'segments'), /\/0\d*\.parquet$/);
  const columns = await Promise.all(
    segments.map(async ([file]) => {
      const { schema } = await parquetMetadataAsync(await asyncBufferFromFile(file));
      return schema.length;
    }),
  );
  const again = await startServer({ dir, environment });
  const startSeconds = await processorSeconds(again.pid);
  await again.stop();
  return {
    columns: Math.max(...columns),
    manifestMb: total(await sizes(dir, /^meta\.duckdb/)),
    segmentsMb: total(await sizes(path.join(dir, 'segments'), /./)),
    memoryMb,
    startSeconds,
  };
}

describe('a new key name in every event', () => {
  const directory = temporaryDirectory();

  it('takes bounded columns, segments, manifest and start', async () => {
    const same = await weigh(path.join(directory(), 'same'), () => 'name');
    const fresh = await weigh(path.join(directory(), 'fresh'), (number) => `name ${number}`);
    console.log(`      the same names: ${JSON.stringify(same)}`);
    console.log(`      fresh names: ${JSON.stringify(fresh)}`);
    // Fewer than two for each path that may have columns, whatever the number of events is.
    expect(fresh.columns).to.be.below(1000);
    expect(fresh.manifestMb).to.be.below(same.manifestMb + 30);
    expect(fresh.segmentsMb).to.be.below(10 * same.segmentsMb + 20);
    expect(fresh.startSeconds).to.be.below(3 * same.startSeconds + 1);
  }).timeout(600_000);
});
