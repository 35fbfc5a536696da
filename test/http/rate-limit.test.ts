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
});
