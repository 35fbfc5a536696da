// Clients that do not read their answers: other reads of the same key go on.
import { expect } from 'chai';
import { once } from 'node:events';
import { createProject } from '../support/objects.js';
import { connectRaw, requestHead, type RawConnection } from '../support/raw-connection.js';
import { sharedServer, type Json } from '../support/start-server.js';

/** The turns of the queue of small reads. */
const turns = 8;
/** More than the buffers of a connection hold. */
const text = 'x'.repeat(2 ** 20);
const comments = 24;

describe('answers that clients do not read', () => {
  const server = sharedServer();
  const connections: RawConnection[] = [];
  let path: string;

  before(async () => {
    path = `/v1/project_logs/${(await createProject(server())).id}`;
    await server().write(`${path}/insert`, { events: [{ id: 'e' }] });
    for (let sent = 0; sent < comments; sent++)
      await server().write(`${path}/feedback`, {
        feedback: [{ id: 'e', comment: text }],
      });
  });
  after(() => {
    for (const { socket } of connections) socket.destroy();
  });

  it('hold no turn: feedback', async () => {
    const head = requestHead('GET', `${path}/feedback`, `Authorization: Bearer ${server().key}`);
    for (let client = 0; client < turns; client++) {
      const connection = await connectRaw(server().url, head, { unread: true });
      connections.push(connection);
      // The server has begun to send the answer.
      await once(connection.socket, 'readable');
    }
    const answer = await server().get(`${path}/feedback?event_id=none`);
    expect(answer).to.deep.equal({ comments: [], audit: [] });
    const whole = await server().get(`${path}/feedback`);
    const said = (whole['comments'] as readonly Json[]).map(({ id, comment }) => [id, comment]);
    const ids = (whole['audit'] as readonly Json[]).map(({ comment_id }) => comment_id);
    expect(said).to.deep.equal(ids.map((id) => [id, text]));
    expect(ids).to.have.length(comments);
  });
});
