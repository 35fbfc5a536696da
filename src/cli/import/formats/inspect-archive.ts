// Archives of inspect_ai (`.eval`): a zip with a JSON document for each sample and epoch, in deflate or zstd.
import { text } from 'node:stream/consumers';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { stringifyJson } from '../../../json/stringify.js';
import type { JsonValue } from '../../../json/json.js';
import { parseJson } from '../../../json/parse.js';
import { isJsonObject, memberOf, membersOf } from '../../../json/tree.js';
import { unzstd } from '../decompress.js';
import { charactersOf, RowError, type Row } from '../row.js';

/** Bytes of a document, which is in memory as a whole. */
const bytesMax = 2 ** 28;
const zstd = 93;

/** The description of the run: of one that has ended, and of one that has not. */
const headers = ['header.json', '_journal/start.json'];
const isSample = (name: string): boolean => /^samples\/.*\.json$/s.test(name);
/** One of several files of a sample, which inspect_ai can make of a large one. */
const isPart = (name: string): boolean => /_epoch_\d+\/.*\.json$/s.test(name);

async function readEntry(zip: ZipFile, entry: Entry): Promise<string> {
  const { fileName, compressionMethod, uncompressedSize } = entry;
  if (uncompressedSize > bytesMax)
    throw new RowError(fileName, `a document has at most ${bytesMax / 2 ** 20} MB`);
  if (compressionMethod !== zstd) return text(await zip.openReadStreamPromise(entry));
  const bytes = await zip.openReadStreamPromise(entry, { decodeFileData: false });
  return text(charactersOf(unzstd(bytes)));
}

/** The texts of the run, which name it; the rest can be larger than the samples. */
function runOf(header: string): JsonValue {
  const document = parseJson(header, 'the header');
  const run = isJsonObject(document) ? (memberOf(document, 'eval') ?? null) : null;
  if (!isJsonObject(run)) throw new RowError(null, 'the header names no run');
  return new Map([...membersOf(run)].filter(([, value]) => typeof value === 'string'));
}

async function* rowsOf(zip: ZipFile): AsyncGenerator<Row> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  const header = headers.flatMap(
    (name) => entries.find(({ fileName }) => fileName === name) ?? [],
  )[0];
  if (header === undefined) throw new RowError(null, 'this is no log of inspect_ai');
  const run = stringifyJson(runOf(await readEntry(zip, header)));
  const samples = entries.filter(({ fileName }) => isSample(fileName));
  const part = samples.find(({ fileName }) => isPart(fileName));
  if (part !== undefined)
    throw new RowError(part.fileName, 'this is a part of a sample: convert the log to JSON first');
  for (const [index, entry] of samples.entries())
    yield { text: `{"eval":${run},"samples":[${await readEntry(zip, entry)}]}`, line: index + 1 };
}

/** A row is the log with one sample. The number of a row is that of its sample. */
export async function* readInspectArchive(file: string): AsyncGenerator<Row> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(file, { autoClose: false });
    yield* rowsOf(zip);
  } catch (error) {
    if (error instanceof RowError) throw error;
    throw new RowError(null, `this is no zip that can be read: ${(error as Error).message}`);
  } finally {
    zip?.close();
  }
}
