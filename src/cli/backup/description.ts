// The description of a backup: a small file that names the files of one transaction. It is written last, so a backup without it is none.
import { crc32 } from 'node:zlib';
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import type { Progress } from '../progress.js';
import type { RemoteDirectory } from './remote-directory.js';

const formatVersion = 1;

const descriptionSchema = Type.Object({
  format: Type.Literal(formatVersion),
  /** The release that wrote it. */
  evalstore: Type.String(),
  transaction: Type.String({ pattern: '^\\d+$' }),
  time: Type.String(),
  files: Type.Array(
    Type.Object({ path: Type.String(), bytes: Type.Integer(), crc32: Type.Integer() }),
  ),
});

export type Description = Static<typeof descriptionSchema>;

/** A file of the data directory as it is in a backup; `path` has slashes. */
export type BackedUpFile = Description['files'][number];

export const descriptions = 'backups/';
export const files = 'files/';

/** Files with the same path, size and checksum are one in the backup. */
export const nameOf = ({ path, bytes, crc32: sum }: BackedUpFile): string =>
  `${files}${path}.${bytes}-${sum.toString(16).padStart(8, '0')}`;

/** Whether `nameOf` makes such names: a directory may have other files. */
export const isName = (name: string): boolean => /\.\d+-[0-9a-f]{8}$/.test(name);

const descriptionName = ({ time, transaction }: Description): string =>
  `${descriptions}${time.replaceAll(/[-:.]/g, '')}-${transaction}.json`;

/** The names of all descriptions, oldest first. */
export async function descriptionNames(remote: RemoteDirectory): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { key } of remote.list(descriptions)) if (key.endsWith('.json')) names.push(key);
  return names.sort();
}

export function writeDescription(remote: RemoteDirectory, description: Description): Promise<void> {
  const content = Buffer.from(`${JSON.stringify(description)}\n`);
  return remote.put(descriptionName(description), {
    bytes: content.length,
    crc32: crc32(content),
    open: () => [content],
  });
}

/** @throws Error if it is damaged or of a newer release */
export async function readDescription(remote: RemoteDirectory, name: string): Promise<Description> {
  const chunks: Buffer[] = [];
  for await (const chunk of remote.get(name)) chunks.push(chunk);
  let found: unknown;
  try {
    found = JSON.parse(Buffer.concat(chunks).toString());
  } catch (error) {
    throw new Error(`${remote.name}/${name} is damaged`, { cause: error });
  }
  if (Check(descriptionSchema, found)) return found;
  const { format } = (found ?? {}) as { readonly format?: unknown };
  throw new Error(
    typeof format === 'number' && format > formatVersion
      ? `${remote.name}/${name} has format ${format}, this release reads formats up to ${formatVersion}`
      : `${remote.name}/${name} is damaged`,
  );
}

/** @throws Error if there is none */
export async function readDescriptions(remote: RemoteDirectory): Promise<readonly Description[]> {
  const names = await descriptionNames(remote);
  if (names.length === 0) throw new Error(`${remote.name}: there is no backup`);
  return Promise.all(names.map((name) => readDescription(remote, name)));
}

/** Passes the chunks on, the last one only if all are right. @throws Error if they are not those of `file` */
export async function* verified(
  chunks: AsyncIterable<Buffer>,
  file: BackedUpFile,
  where: string,
  progress: Progress,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  let sum = 0;
  let last: Buffer | undefined;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    sum = crc32(chunk, sum);
    progress.addBytes(chunk.length);
    if (last !== undefined) yield last;
    last = chunk;
  }
  if (bytes !== file.bytes || sum !== file.crc32)
    throw new Error(`${where}: ${file.path} is damaged, its checksum is wrong`);
  if (last !== undefined) yield last;
}
