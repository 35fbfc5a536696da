// Data directories to be damaged, the ways to damage a file, and what a store makes of one.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { copyFile, cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { MovedFile } from '../../src/store/recovery/obsolete-files.js';
import { copyRunning } from './copy-running.js';
import { openStore, type TestStore } from './open-store.js';
import { readObject, type Answers } from './read-object.js';
import { newSeed } from './seed.js';

/** Each object has one segment. */
const objectsOf = (count: number) => Array.from({ length: count }, (_, n) => `o${n}`);
const rows = 60;

export const project = 'segments/project_id=project';
/** The numbers between are those of the generations of buffered rows. */
export const sourceOf = (object: number) => 3 + 2 * object;
/** The log that takes new rows. */
export const activeLogOf = (objects: number) => `log/${String(2 * objects).padStart(8, '0')}.log`;
export const segmentOf = (object: number) => String(sourceOf(object)).padStart(8, '0');
const filesPerSegment = 5;

const options = {
  flushRows: 1_000_000,
  flushSeconds: 1_000_000,
  idleSeconds: 1_000_000,
  segments: { narrowRowsMin: 1 },
  compaction: { fanOut: 1000, supersededShare: 2 },
  verification: { bytesPerSecond: 1 },
};

const event = (objectId: string, n: number) => ({
  id: `${n}`,
  input: { text: `${objectId} ${n} ${'x'.repeat(n % 50)}` },
  root_span_id: `trace ${n % 10}`,
  span_id: `span ${n}`,
  scores: { s: n / 7 },
});

/**
 * Writes a data directory with rows in segments and in a log, of which `rounds` says how many; the log of the database has the
 * last segment. It is copied while it is open, since that log goes when it is closed. Returns a version before the last changes.
 */
async function writeDirectory(copy: string, objects: number, rounds: number): Promise<bigint> {
  const directory = `${copy}-written`;
  const opened = await openStore(directory, options);
  const insert = (objectId: string, from: number) =>
    opened.insert(objectId, ...Array.from({ length: rows }, (_, n) => event(objectId, from + n)));
  const merge = (objectId: string, id: string, merged: number) =>
    opened.insert(objectId, { id, _is_merge: true, metadata: { merged } });
  let version = 0n;
  for (const [index, objectId] of objectsOf(objects).entries()) {
    await insert(objectId, 0);
    version = await merge(objectId, '5', 1);
    await merge(objectId, '5', 2);
    // What follows is in the log of the database.
    if (index === objects - 1) await opened.writer.checkpoint();
    await opened.store.flush();
  }
  for (const objectId of objectsOf(objects)) await merge(objectId, '6', 3);
  for (let from = 1; from < 2 * rounds; from++) await insert('o1', from * rows);
  await opened.insert('o1', { id: 'last', input: 'last' });
  await copyRunning(directory, copy);
  await opened.close();
  return version;
}

type Outcome = Readonly<Record<string, Answers>> | string;

/** The answers for each object; a sentence when the store does not open. `setAside` is called for each file that it moves. */
export async function readAll(
  directory: string,
  { version, objects }: Pick<Directory, 'version' | 'objects'>,
  setAside: (moved: MovedFile) => void = () => {},
): Promise<Outcome> {
  let opened: TestStore;
  try {
    opened = await openStore(directory, { ...options, hooks: { setAside } });
  } catch (error) {
    return (error as Error).message;
  }
  const answers: Record<string, Answers> = {};
  for (const objectId of objectsOf(objects))
    answers[objectId] = await readObject(opened, objectId, version);
  await opened.close();
  return answers;
}

export const publishedFiles = async (directory: string) =>
  (await readdir(path.join(directory, project))).filter((name) => /^\d{8}\.\w+$/.test(name)).sort();

export interface Directory {
  readonly path: string;
  readonly objects: number;
  readonly version: bigint;
  readonly answers: Readonly<Record<string, Answers>>;
}

export async function makeDirectory(
  directory: string,
  objects: number,
  rounds: number,
): Promise<Directory> {
  const version = await writeDirectory(directory, objects, rounds);
  const sound = `${directory}-sound`;
  await cp(directory, sound, { recursive: true });
  const answers = (await readAll(sound, { version, objects })) as Directory['answers'];
  expect(JSON.stringify(answers)).not.to.contain('refused');
  expect(await publishedFiles(directory)).to.have.lengthOf(filesPerSegment * objects);
  return { path: directory, objects, version, answers };
}

export type Way = 'missing' | 'cut to half' | 'empty' | 'another file';
export const ways: readonly Way[] = ['missing', 'cut to half', 'empty', 'another file'];

/** `other` is another file. */
export async function damage(file: string, way: Way, other: string): Promise<void> {
  if (way === 'missing') await rm(file);
  else if (way === 'empty') await truncate(file, 0);
  else if (way === 'another file') await copyFile(other, file);
  else await truncate(file, Math.floor((await readFile(file)).length / 2));
}

export async function flip(file: string, bit: number): Promise<void> {
  const bytes = await readFile(file);
  bytes[(bit >> 3) % bytes.length]! ^= 1 << (bit & 7);
  await writeFile(file, bytes);
}

/** Numbers of bits of a file; prints the seed that they are drawn by. */
export async function bitsOf(file: string, count: number): Promise<readonly number[]> {
  const seed = newSeed();
  process.stdout.write(`      seed ${seed}\n`);
  const { length } = await readFile(file);
  return fc.sample(fc.noBias(fc.nat(8 * length - 1)), { seed, numRuns: count });
}

const segmentComplaint = (object: number) =>
  `refused: the segment project_id=project/${segmentOf(object)} is missing or damaged`;

/**
 * Each answer is what it was, or names the object's segment; those of objects from `damaged` on are what they were.
 * @returns for each damaged object the number of answers that name its segment
 */
export function countNamed(
  after: Outcome,
  { answers: sound }: Directory,
  damaged: number,
): number[] {
  const named = Array.from({ length: damaged }, () => 0);
  expect(after, 'the store opens').not.to.be.a('string');
  for (const [object, answers] of Object.values(after as Directory['answers']).entries())
    for (const [way, text] of Object.entries(answers))
      if (object < damaged && text === segmentComplaint(object)) named[object]! += 1;
      else expect(text, `object ${object}, ${way}`).to.equal(sound[`o${object}`]![way]);
  return named;
}

export const isDamaged =
  /^(the database (file|log) \S*meta\.duckdb(\.wal)? is damaged: restore the data directory from a backup|the log \d{8}\.log is damaged at byte \d+, before rows that were acknowledged: restore the data directory from a backup, or go on without what follows with "evalstore repair")$/;
export const isMissing =
  /^\S+meta\.duckdb is missing, but there are \d+ segments: put a copy of it back, or make a new one from the segments with "evalstore repair"$/;
export const isOld =
  /^\S+meta\.duckdb does not match the rest of the directory, (transaction \d{19} was acknowledged and is neither in it nor in its logs|it does not list \S+\.parquet|transaction \d{19} is in a log that it does not list|the log of its generation \d+ is missing|it lacks the last \d+ of its transactions): put the latest meta\.duckdb, meta\.duckdb\.wal and log back, or continue with the existing files with "evalstore repair"$/;

export function outcomeOf(after: Outcome, { answers: sound }: Directory): string {
  if (typeof after === 'string')
    return isDamaged.test(after) || isOld.test(after) ? 'refused' : after;
  const different = Object.entries(after).flatMap(([objectId, answers]) =>
    Object.entries(answers)
      .map(([way, text]) => [text, sound[objectId]![way]!] as const)
      .filter(([text, before]) => text !== before),
  );
  if (different.length === 0) return 'equal';
  const isRefused = different.every(([text]) => isDamaged.test(text.replace('refused: ', '')));
  return isRefused ? 'reads refused' : `different: ${JSON.stringify(different).slice(0, 500)}`;
}
