// A store with that many generated events in one project, loaded once for each directory.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bulkConnections, insertInBulk } from '../ingest/bulk.js';
import { prepareDataset } from '../generator/dataset.js';
import { secondsOf } from '../measure.js';
import { startStore, untilSettled, type StoreServer } from '../store/server.js';

const seed = 1;
/** Rows are buffered for no longer than this, so that what is asked is a server at rest. */
const environment = { EVALSTORE_FLUSH_SECONDS: '10' };

interface Loaded {
  readonly loadSeconds: number;
}

export interface LoadedStore extends Loaded {
  readonly server: StoreServer;
}

async function load(
  root: string,
  directory: string,
  dataDirectory: string,
  events: number,
): Promise<Loaded> {
  const dataset = await prepareDataset(directory, seed, events, 'full');
  const server = await startStore(root, dataDirectory, environment);
  const client = server.connectClient(bulkConnections);
  const loadSeconds = await secondsOf(() =>
    insertInBulk(dataset, (body) =>
      client.post(`/v1/project_logs/${server.projectId}/insert`, body),
    ),
  );
  await untilSettled(dataDirectory);
  await client.close();
  await server.stop();
  return { loadSeconds };
}

/** Starts the server over the events below `directory`. */
export async function loadedStore(
  root: string,
  directory: string,
  events: number,
): Promise<LoadedStore> {
  const dataDirectory = path.join(directory, `data-${events}`);
  const marker = path.join(directory, `loaded-${events}.json`);
  let text = await readFile(marker, 'utf8').catch(() => null);
  if (text === null) {
    text = JSON.stringify(await load(root, directory, dataDirectory, events));
    await writeFile(marker, text);
  }
  const server = await startStore(root, dataDirectory, environment);
  return { ...(JSON.parse(text) as Loaded), server };
}
