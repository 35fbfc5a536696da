// Which operation a path leads to.
import { expect } from 'chai';
import { Type } from 'typebox';
import type { Operation } from '../../src/http/operation.js';
import { sharedApplication } from '../support/serve.js';

const id = '6f0aed4c-1b4b-4f0d-8e3c-52a0a2f7a9d1';

const operations = ['/thing', '/thing/:id', '/thing/:id/part', '/thing/all', '/thing/all/part'].map(
  (route): Operation => ({
    method: 'get',
    path: route,
    query: Type.Object({}),
    run: (request) => ({ contentType: 'text/plain', headers: {}, text: `${route} ${request.id}` }),
  }),
);

describe('a path', () => {
  const served = sharedApplication(operations);

  for (const [address, answer] of [
    ['/thing', '/thing '],
    ['/Thing/', '/thing '],
    [`/thing/${id}`, `/thing/:id ${id}`],
    [`/THING/${id.toUpperCase()}/`, `/thing/:id ${id}`],
    [`/thing/${id.replace('6', '%36')}/part`, `/thing/:id/part ${id}`],
    ['/thing/all', '/thing/all '],
    ['/thing/all/part', '/thing/all/part '],
    ['/thing/%zz', 'id: expected a UUID, got "%zz"'],
    ['/thing/__proto__/part', 'id: expected a UUID, got "__proto__"'],
  ] as const)
    it(`${address} leads to "${answer}"`, async () => {
      expect(await (await fetch(served().url + address)).text()).to.equal(answer);
    });

  for (const address of ['/thing/x/y', `/thing/${id}/other`, `/thing${'/x'.repeat(7000)}`])
    it(`${address.slice(0, 30)} leads nowhere`, async () => {
      expect((await fetch(served().url + address)).status).to.equal(401);
    });
});
