import { expect } from 'chai';
import { sharedServer, type TestServer } from '../support/start-server.js';

/** The different statuses of ten requests at the same time. */
async function statusesOf(server: TestServer, path: string, key: string | null) {
  const sent = Array.from({ length: 10 }, () => server.request('GET', path, undefined, { key }));
  return [...new Set((await Promise.all(sent)).map(({ status }) => status))];
}

describe('rate limit', () => {
  const server = sharedServer({ environment: { EVALSTORE_RATE_LIMIT: '3' } });

  it('refuses what comes too soon, and says when to come again', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => server().request('GET', '/v1/project')),
    );
    const refused = answers.filter(({ status }) => status === 429);
    // Some more go through while the others are on their way.
    expect(refused.length).to.be.within(1, 7);
    expect(refused[0]!.text).to.equal(
      'more than 3 requests in a second, the limit for one caller; a query counts as 10, each MB of a body as one more',
    );
    expect(refused[0]!.headers.get('retry-after')).to.equal('1');
    expect(answers.filter(({ status }) => status === 200)).to.have.length(10 - refused.length);
  });

  for (const path of ['/v1/project', '/health'])
    it(`counts requests with wrong keys by their address, at ${path}`, async () => {
      expect(await statusesOf(server(), path, 'a-wrong-key'))
        .to.include(429)
        .and.not.to.include(200);
    });

  it('does not count who asks whether the server runs', async () => {
    expect(await statusesOf(server(), '/health', null)).to.deep.equal([200]);
    expect(await statusesOf(server(), '/health', server().key)).to.deep.equal([200]);
  });
});

describe('rate limit with a burst', () => {
  const server = sharedServer({
    environment: { EVALSTORE_RATE_LIMIT: '1', EVALSTORE_RATE_BURST: '30' },
  });

  const keyOf = async () => (await server().post('/v1/api_key', { name: 'k' }))['key'] as string;

  /** How many requests go through until one does not. */
  async function passed(key: string, path: string, body?: unknown): Promise<number> {
    for (let count = 0; ; count += 1) {
      const method = body === undefined ? 'GET' : 'POST';
      const { status } = await server().request(method, path, body, { key });
      if (status === 429) return count;
    }
  }

  // The time that the requests take adds tokens: so few that a query or a MB still counts as several requests.
  for (const [what, path, body, min, max] of [
    ['a small request as one', '/ping', undefined, 30, 60],
    ['a query as ten, under any spelling', '/Query/', { query: 'x' }, 3, 6],
    ['each MB of a body as one', '/v1/project', { name: 'x'.repeat(9.5 * 2 ** 20) }, 3, 6],
  ] as const)
    it(`counts ${what}, for each key alone`, async () => {
      const key = await keyOf();
      expect(await passed(key, path, body)).to.be.within(min, max);
      // Tokens that come back meanwhile do not suffice for all.
      expect(await statusesOf(server(), '/ping', key)).to.include(429);
      expect(await statusesOf(server(), '/ping', server().key)).to.include(200);
    });
});

describe('limit of wrong keys', () => {
  const server = sharedServer({ environment: { EVALSTORE_WRONG_KEYS: '5' } });

  it('tells an address nothing of other keys, and lets those go on that it used', async () => {
    const unused = await server().post('/v1/api_key', { name: 'k' });
    const ask = async (key: string) => {
      const { status, text, headers } = await server().request('GET', '/ping', undefined, { key });
      return [status, text, headers.get('retry-after') !== null];
    };
    const wrong = [401, 'the API key is not valid', false];
    const blocked = [
      429,
      'more than 5 requests with invalid keys in a minute, the limit for one address',
      true,
    ];
    for (let count = 0; count < 5; count += 1) expect(await ask('wrong')).to.deep.equal(wrong);
    expect(await ask('wrong')).to.deep.equal(blocked);
    expect(await ask(unused['key'] as string)).to.deep.equal(blocked);
    expect((await ask(server().key))[0]).to.equal(200);
    expect((await server().request('GET', '/health', undefined, { key: null })).status).to.equal(
      200,
    );
  });
});
