// Targets of requests other than a path: clients of proxies send URLs, and anybody sends anything.
import { expect } from 'chai';
import { connectRaw, requestHead } from '../support/raw-connection.js';
import { sharedServer, testKey } from '../support/start-server.js';

describe('the target of a request', () => {
  const server = sharedServer();

  const statusOf = async (target: string): Promise<number> => {
    const headers = [`Authorization: Bearer ${testKey}`, 'Connection: close'];
    const sent = await connectRaw(server().url, requestHead('GET', target, ...headers));
    await sent.closed;
    return Number(/^HTTP\/1.1 (\d{3}) /.exec(sent.received())?.[1]);
  };

  for (const [target, status] of [
    ['http://a/ping', 200],
    ['HTTPS://user:word@a:1//ping#part', 200],
    ['http://[::1/ping', 200],
    ['http://a:99999999/v1//project?limit=a//b', 400],
    ['http://a?limit=1', 302],
    ['http://a', 302],
    ['/ping#part', 200],
    ['//ping', 200],
    ['//a@[b/ping', 404],
    ['/\\a@[b#', 404],
    ['/ping?a=http://[b#', 400],
    ['*', 404],
  ] as const)
    it(`may be ${target}`, async () => {
      expect(await statusOf(target)).to.equal(status);
      expect(await statusOf('/ping')).to.equal(200);
    });
});
