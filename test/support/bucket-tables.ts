// What the Iceberg table of a project shows, read from the objects in the bucket of the tests alone.
import { readFile } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import type { TableMetadata } from '../../src/store/iceberg/metadata.js';
import { avroContent } from './avro-records.js';
import { bucketName, type BucketService } from './bucket-service.js';
import { objectsIn } from './bucket-store.js';

interface DataFile {
  readonly file_path: string;
  readonly record_count: bigint;
  readonly file_size_in_bytes: bigint;
  readonly referenced_data_file?: string | null;
}

const scheme = `s3://${bucketName}/`;

const fileOf = (service: BucketService, address: string): string => {
  if (!address.startsWith(scheme)) throw new Error(`${address} is elsewhere`);
  return service.fileOf(address.slice(scheme.length));
};

/** The files of a snapshot: data files, and files of dead rows. */
async function filesOf(service: BucketService, list: string) {
  const read = async (address: string) =>
    avroContent(await readFile(fileOf(service, address))).records;
  const files: [DataFile[], DataFile[]] = [[], []];
  for (const { content, manifest_path } of await read(list))
    for (const entry of await read(manifest_path as string))
      files[content as 0 | 1].push(entry['data_file'] as DataFile);
  return files;
}

/** The ids of the live rows in a snapshot, sorted; `index` counts from the oldest one. */
export async function liveIds(
  service: BucketService,
  { snapshots }: TableMetadata,
  index = snapshots.length - 1,
): Promise<readonly string[]> {
  const [data, deletes] = await filesOf(service, snapshots[index]!['manifest-list']);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const ids: string[] = [];
  for (const { file_path: path, record_count: count, file_size_in_bytes: bytes } of data) {
    const file = fileOf(service, path);
    const content = await readFile(file);
    if (BigInt(content.length) !== bytes) throw new Error(`${path}: ${content.length} bytes`);
    const dead = deletes.filter((each) => each.referenced_data_file === path);
    if (dead.length > 1) throw new Error(`${path} has ${dead.length} files of dead rows`);
    const positions = dead.map(({ file_path }) => fileOf(service, file_path));
    const rows = await connection.runAndReadAll(
      `SELECT id, file_row_number FROM read_parquet('${file}', file_row_number = true)`,
    );
    if (BigInt(rows.currentRowCount) !== count)
      throw new Error(`${path}: ${rows.currentRowCount} rows`);
    const gone = new Set<bigint>();
    for (const each of positions) {
      const found = await connection.runAndReadAll(
        `SELECT file_path, pos FROM read_parquet('${each}')`,
      );
      const list = found.getRows();
      if (list.some(([of]) => of !== path)) throw new Error(`${each} is about another file`);
      if (BigInt(list.length) !== dead[0]!.record_count) throw new Error(`${each}: ${list.length}`);
      list.forEach(([, position], at) => {
        if (at > 0 && (list[at - 1]![1] as bigint) >= (position as bigint))
          throw new Error(`${each} is not sorted`);
        gone.add(position as bigint);
      });
    }
    for (const [id, position] of rows.getRows())
      if (!gone.has(position as bigint)) ids.push(id as string);
  }
  connection.closeSync();
  return ids.sort();
}

/** The objects of tables that no snapshot needs, and the segments that none has. */
export async function orphansOf(
  service: BucketService,
  prefix: string,
  table: TableMetadata,
): Promise<readonly string[]> {
  const objects = await objectsIn(service, prefix);
  const text = JSON.stringify(table) + [...objects.values()].join('');
  const named = [...objects.keys()].filter(
    (key) =>
      /^iceberg\/.*(?:avro|deletes\.parquet)$|^segments\/.*\.parquet$/.test(key) &&
      !text.includes(`${scheme}${prefix}/${key}`),
  );
  const metadata = [...objects.keys()].filter((key) => key.endsWith('.metadata.json')).sort();
  return [...named, ...metadata.slice(0, -table.snapshots.length)];
}
