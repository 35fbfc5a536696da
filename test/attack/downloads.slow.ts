// Many URLs for answers to queries of one key, beside a URL of another one.
import { expect } from 'chai';
import { pathOf } from '../support/attachments.js';
import { createProject } from '../support/objects.js';
import { sharedProcess } from '../support/start-server.js';
import { asking } from '../spec/access/asking.js';
import { openBystander } from './bystander.js';

const texts = { few: [40, 950_000], many: [1_100, 1] } as const;

describe('attack: downloads of one key', () => {
  const server = sharedProcess();
  const { ask, addAccount } = asking(server);

  for (const [name, [count, length]] of Object.entries(texts))
    it(`leave those of another key, in ${name} texts`, async () => {
      const { id } = await createProject(server());
      const { service_token: attacker } = await addAccount(['Engineers']);
      const bystander = await openBystander(server());
      const query = `select: id | from: project_logs('${id}')`;
      const long = { query: `${query} | filter: id = '${'x'.repeat(length)}'` };
      const offered = await ask('POST', '/query/download', { query });
      await bystander.beside(async () => {
        for (let sent = 0; sent < count; sent += 1)
          expect((await ask('POST', '/query/download', long, attacker)).status).to.equal(200);
      });
      const path = pathOf(offered.json()['url']);
      const { status, text } = await server().request('GET', path, undefined, { key: null });
      expect(status, text).to.equal(200);
    });
});
