// Generated events -> a file of one JSON object a line, from which every contender is fed.
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { generateEvents } from './events.js';
import { profiles, type ProfileName } from './profile.js';

export interface Dataset {
  readonly path: string;
  /** One of the profiles of generated events, or the name of a real file. */
  readonly profile: string;
  readonly seed: number;
  readonly events: number;
  readonly bytes: number;
}

const linesPerChunk = 100;

function* eventLines(seed: number, events: number, profile: ProfileName): Generator<string> {
  let lines: string[] = [];
  for (const event of generateEvents(seed, events, profiles[profile])) {
    lines.push(JSON.stringify(event));
    if (lines.length < linesPerChunk) continue;
    yield `${lines.join('\n')}\n`;
    lines = [];
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`;
}

/** Written once for each seed, size and profile; later runs read the same file. */
export async function prepareDataset(
  directory: string,
  seed: number,
  events: number,
  profile: ProfileName,
): Promise<Dataset> {
  const file = path.join(directory, `events-${profile}-${events}-${seed}.ndjson`);
  if (!existsSync(file)) {
    await mkdir(directory, { recursive: true });
    await pipeline(
      Readable.from(eventLines(seed, events, profile)),
      createWriteStream(`${file}.part`),
    );
    await rename(`${file}.part`, file);
  }
  const { size } = await stat(file);
  return { path: file, profile, seed, events, bytes: size };
}

/** The lines of the file, `size` at a time. */
export async function* eventBatches(
  dataset: Dataset,
  size: number,
): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  for await (const line of createInterface({
    input: createReadStream(dataset.path),
    crlfDelay: Infinity,
  })) {
    batch.push(line);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
