// What is asked of a server that is sent garbage; the suites differ in how much.
import { expect } from 'chai';
import { newSeed } from '../support/seed.js';
import { throwGarbage } from './garbage.js';
import { openState, sourceOf, type State } from './states.js';

const question = (source: string) => ({
  query: `select: id, created, metadata | from: ${source} | sort: id`,
});

export function garbageIsHarmless(queries: number): void {
  let state: State;

  before(async () => {
    state = await openState('half', 1);
  });

  after(() => state.server.stop());

  it('is refused or answered, and leaves the server as it was', async () => {
    const { server, conversation } = state;
    const source = sourceOf(conversation, 'project').text;
    const before = await server.post('/query', question(source));
    const seed = newSeed();
    process.stdout.write(`      seed ${seed}\n`);
    const { refused, answered, failures } = await throwGarbage(server, source, { seed, queries });
    process.stdout.write(`      ${refused} refused, ${answered} answered\n`);
    expect(failures.join('\n')).to.equal('');
    expect(refused + answered).to.be.at.least(queries);
    expect(refused).to.be.above(queries / 2);
    expect((await server.request('GET', '/health')).status).to.equal(200);
    const after = await server.post('/query', question(source));
    expect(after['data']).to.deep.equal(before['data']);
    expect(server.log()).to.equal('');
  }).timeout(600_000);
}
