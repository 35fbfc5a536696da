// What the server does when it cannot store.
import { expect } from 'chai';
import { startServer, type Answer } from '../../support/start-server.js';
import { create, idOf } from './probe.js';

const fileBytesMax = 8 * 2 ** 20;
const eventCharacters = 2 ** 20;

describe('a server whose files cannot grow', () => {
  it('answers 503 to a write, stores nothing of it, and goes on reading', async () => {
    const server = await startServer({ wrapper: ['prlimit', `--fsize=${fileBytesMax}`] });
    try {
      const id = idOf(await create(server, 'project'));
      const path = `/v1/project_logs/${id}`;
      const stored: string[] = [];
      let answer: Answer | null = null;
      while (stored.length < 20 && (answer === null || answer.status === 200)) {
        const event = `event ${stored.length}`;
        const input = 'x'.repeat(eventCharacters);
        answer = await server.request('POST', `${path}/insert`, { events: [{ id: event, input }] });
        if (answer.status === 200) stored.push(event);
      }
      expect(answer?.status).to.equal(503);
      expect(answer?.text).to.match(/^the storage is full or cannot be written/);
      const query = `select: id | from: project_logs('${id}') | sort: created`;
      const data = await server.query(query);
      expect(data).to.deep.equal(stored.map((event) => ({ id: event })));
    } finally {
      await server.kill();
    }
  });
});
