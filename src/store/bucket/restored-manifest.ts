// Makes a copy of the manifest one that a server starts from without the logs of its generations.
import { rm } from 'node:fs/promises';
import { sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import { EventLog, logDirectory, logFile } from '../log/event-log.js';
import { readGenerations } from '../manifest/generations.js';
import { readSegments } from '../manifest/segments.js';
import { setInstance } from '../manifest/uploads.js';
import type { Segment } from '../segment/segment.js';

/**
 * Replaces the generations by one without rows, whose log it creates, and forgets what their rows superseded. The next start verifies the
 * bucket, which may have later segments.
 * @returns the segments that the manifest lists
 */
export async function withoutLogs(
  writer: Writer,
  dataDirectory: string,
): Promise<readonly Segment[]> {
  const generations = await readGenerations(writer);
  const [{ afterXactId }, { source }] = [generations[0]!, generations.at(-1)!];
  const logs = logDirectory(dataDirectory);
  await rm(logFile(logs, source), { force: true });
  const log = await EventLog.open(logs);
  await log.create(source);
  await log.close();
  await writer.transaction(async (connection) => {
    await connection.run(sql`DELETE FROM buffer_generation`);
    await connection.run(
      sql`INSERT INTO buffer_generation VALUES (${BigInt(source)}, ${afterXactId})`,
    );
    await connection.run(sql`DELETE FROM supersession WHERE by_xact_id > ${afterXactId}`);
  });
  await setInstance(writer, null);
  return readSegments(writer);
}
