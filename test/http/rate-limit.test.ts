import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';

describe('rate limit', () => {
  const server = sharedServer({ environment: { EVALSTORE_RATE_LIMIT: '3' } });

  it('refuses what comes too soon, and says when to come again', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => server().request('GET', '/v1/project')),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).to.have.length(7);
    expect(refused[0]!.text).to.equal('more than 3 requests in a second, the limit for one caller');
    expect(refused[0]!.headers.get('retry-after')).to.equal('1');
    expect(answers.filter(({ status }) => status === 200)).to.have.length(3);
  });

  const statuses = async (path: string, key: string | null) => {
    const sent = Array.from({ length: 10 }, () =>
      server().request('GET', path, undefined, { key }),
    );
    const found = (await Promise.all(sent)).map(({ status }) => status);
    return [...new Set(found)];
  };

  for (const path of ['/v1/project', '/health'])
    it(`counts requests with wrong keys by their address, at ${path}`, async () => {
      expect(await statuses(path, 'a-wrong-key'))
        .to.include(429)
        .and.not.to.include(200);
    });

  it('does not count who asks whether the server runs', async () => {
    expect(await statuses('/health', null)).to.deep.equal([200]);
    expect(await statuses('/health', server().key)).to.deep.equal([200]);
  });
});
