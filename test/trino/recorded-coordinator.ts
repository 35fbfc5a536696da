// A coordinator that gives the answers that a cluster gave when it was asked last, for tests without one.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { readRecorded, type Recorded } from '../cluster/recorded.js';

/** @param altered what it answers instead of the recorded rows */
export async function recordedCoordinator(altered: (answer: Recorded) => Recorded['rows']) {
  const answers = new Map(readRecorded().map((answer) => [answer.sql, altered(answer)]));
  const server = createServer((request, response) => {
    void (async () => {
      let sql = '';
      for await (const chunk of request) sql += String(chunk);
      const data = answers.get(sql);
      const error = {
        message: 'it is not recorded',
        errorType: 'USER_ERROR',
        errorName: 'SYNTAX_ERROR',
      };
      response.end(JSON.stringify(data === undefined ? { error } : { data }));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://me:secret@127.0.0.1:${port}`, close: () => server.close() };
}
