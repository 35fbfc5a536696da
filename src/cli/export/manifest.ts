// The manifest of an export: what its files hold, with their checksums. It is written last, so a directory with one is complete.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { EventObjectKind } from '../../schema/event-row.js';

export const manifestName = 'manifest.json';

/** The number of this format. It grows when an older release could not import a newer export. */
export const manifestFormat = 1;

export type FileFormat = 'jsonl' | 'parquet';

export interface ExportedFile {
  /** Below the directory, with slashes. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
}

/** A file with the rows of whole transactions. */
export interface RowsFile extends ExportedFile {
  /** The last transaction in it. */
  readonly through: string;
}

/** The events of an object, oldest first. Of datasets, the files have every version of a record. */
export interface ExportedEvents {
  readonly kind: EventObjectKind;
  readonly id: string;
  readonly name: string;
  readonly files: readonly RowsFile[];
  /** The answer of `GET /v1/{kind}/{id}/feedback`; absent without feedback. */
  readonly feedback?: ExportedFile;
}

export interface ExportedAttachment extends ExportedFile {
  readonly key: string;
  readonly filename: string;
  readonly content_type: string;
}

interface About {
  readonly format_version: number;
  /** The address of the server, and its release. */
  readonly source: { readonly url: string; readonly release: string };
  readonly created: string;
  /** The transaction at which all rows were read. */
  readonly version: string;
  readonly format: FileFormat;
}

export interface ProjectManifest extends About {
  readonly project: { readonly id: string; readonly name: string };
  /** A line for the project and each object in it; prompts and functions have a line for each version. */
  readonly objects: ExportedFile;
  readonly events: readonly ExportedEvents[];
  readonly prompt_feedback: readonly (ExportedFile & { readonly id: string })[];
  readonly attachments: readonly ExportedAttachment[];
  readonly not_carried: readonly string[];
}

export interface QueryManifest extends About {
  readonly query: string;
  readonly files: readonly ExportedFile[];
}

export type Manifest = ProjectManifest | QueryManifest;

export const notCarried: readonly string[] = [
  'users, keys, roles, groups, access rights and the audit log',
  'who created an object or wrote a comment, and when; events keep their time',
  'audit entries of feedback; the values that it changed are in the events',
  'earlier versions of events in logs and experiments',
  'on import: versions of a dataset that no experiment and no snapshot names',
  'ids of objects and of transactions, which the importing server assigns; values inside of events stay as they are',
];

/** Null if the directory has none. @throws Error for a manifest of a newer release, or for one that is none */
export async function readManifest(directory: string): Promise<Manifest | null> {
  const file = path.join(directory, manifestName);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const manifest = parsed(text);
  const { format_version: version } = manifest ?? {};
  if (typeof version !== 'number') throw new Error(`${file}: this is no manifest of an export`);
  if (version > manifestFormat)
    throw new Error(
      `${file}: format ${version} is of a newer release, and this one reads up to ${manifestFormat}: upgrade Evalstore`,
    );
  return manifest as Manifest;
}

function parsed(text: string): Partial<Manifest> | null {
  try {
    return JSON.parse(text) as Partial<Manifest>;
  } catch {
    return null;
  }
}

export function filesOf(manifest: Manifest): readonly ExportedFile[] {
  if ('query' in manifest) return manifest.files;
  const { objects, events, prompt_feedback: ofPrompts, attachments } = manifest;
  const rows: readonly ExportedFile[] = events.flatMap(({ files }) => files);
  const feedback = events.flatMap((exported) => exported.feedback ?? []);
  return [objects, ...rows, ...feedback, ...ofPrompts, ...attachments];
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part as Buffer);
  return hash.digest('hex');
}

/** What is wrong with a file; null if it is as listed. */
export async function faultOf(
  directory: string,
  { path: name, bytes, sha256 }: ExportedFile,
): Promise<string | null> {
  const file = path.join(directory, name);
  const found = await stat(file).catch(() => null);
  if (found === null) return `${file}: the manifest lists this file, and it is missing`;
  if (found.size === bytes && (await sha256Of(file)) === sha256) return null;
  return `${file}: its content is not what the manifest lists, so it was changed or damaged`;
}
