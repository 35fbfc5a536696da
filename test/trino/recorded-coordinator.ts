// A coordinator that gives the answers that a cluster gave when it was asked last, for tests without one.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { readRecorded, type Recorded } from '../cluster/recorded.js';

/** The members of an answer, or what happens instead of one. */
export type Reply = object | 'silence' | 'break';

const notRecorded = (): Reply => ({
  error: { message: 'it is not recorded', errorType: 'USER_ERROR', errorName: 'SYNTAX_ERROR' },
});

/**
 * @param altered what it answers instead of the recorded rows
 * @param reply what it answers to all other statements
 */
export async function recordedCoordinator(
  altered: (answer: Recorded) => Recorded['rows'],
  reply: (statement: string) => Reply = notRecorded,
) {
  const answers = new Map(readRecorded().map((answer) => [answer.sql, altered(answer)]));
  const cancelled: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let sql = '';
      for await (const chunk of request) sql += String(chunk);
      if (request.method === 'DELETE') {
        cancelled.push(request.url ?? '');
        response.writeHead(204).end();
        return;
      }
      const data = answers.get(sql);
      const found = data === undefined ? reply(sql) : { data };
      if (found === 'break') request.socket.destroy();
      else if (found === 'silence')
        response.end(JSON.stringify({ nextUri: 'http://inside/v1/statement/queued/1' }));
      else response.end(JSON.stringify(found));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://me:secret@127.0.0.1:${port}`, cancelled, close };
}
