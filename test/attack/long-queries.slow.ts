// Queries that take long to parse, most of which are refused, beside the requests of another key.
import { expect } from 'chai';
import { createExperiment, createProject } from '../support/objects.js';
import { sharedProcess } from '../support/start-server.js';
import { asking } from '../spec/access/asking.js';
import { openBystander } from './bystander.js';

/** Filters at the limits, within them or just beyond, and the number of them. */
const filters = {
  'operators in a row': [40, 400, `1${'<1'.repeat(19_000)}`],
  'operators in groups': [
    10,
    200,
    Array.from({ length: 10 }, () => `(1=1${' and 1=1'.repeat(240)})`).join(' or '),
  ],
  'a list of strings': [10, 200, `input in [${Array(9_999).fill("'x'").join()}]`],
  comments: [10, 200, `1=1 ${'-- x\n'.repeat(190_000)}`],
  'an unclosed string': [10, 400, `'${'x'.repeat(900_000)}`],
} as const;

describe('attack: long queries of one key', () => {
  const server = sharedProcess();
  const { ask, addAccount } = asking(server);

  for (const [name, [count, status, filter]] of Object.entries(filters))
    it(`leave turns to others: ${name}`, async () => {
      const { id } = await createExperiment(server(), (await createProject(server())).id);
      const { service_token: attacker } = await addAccount(['Engineers']);
      const bystander = await openBystander(server());
      const query = `select: id | from: experiment('${id}') | filter: ${filter}`;
      const answers = await bystander.beside(() =>
        Promise.all(
          Array.from({ length: count }, () => ask('POST', '/query', { query }, attacker)),
        ),
      );
      for (const answer of answers) expect(answer.status, answer.text).to.equal(status);
    });

  it('leave turns to others: 100 texts in JSON', async () => {
    const { id } = await createExperiment(server(), (await createProject(server())).id);
    const { service_token: attacker } = await addAccount(['Engineers']);
    const bystander = await openBystander(server());
    const query = {
      select: [{ op: 'star' }],
      from: {
        op: 'function',
        name: { op: 'ident', name: ['experiment'] },
        args: [{ op: 'literal', value: id }],
      },
      filter: {
        op: 'or',
        children: Array.from({ length: 100 }, () => ({ btql: `1${'<1'.repeat(190)}` })),
      },
    };
    const answers = await bystander.beside(() =>
      Promise.all(Array.from({ length: 10 }, () => ask('POST', '/query', { query }, attacker))),
    );
    for (const answer of answers) expect(answer.status, answer.text).to.equal(400);
  });

  it('leave turns to others: summaries without a key', async () => {
    const project = await createProject(server());
    const { id } = await createExperiment(server(), project.id);
    await server().request('PATCH', `/v1/experiment/${id}`, { public: true });
    const bystander = await openBystander(server());
    const filter = encodeURIComponent(`1${'<1'.repeat(3_700)}`);
    const path = `/v1/experiment/${id}/summarize?summarize_scores=true&filter=${filter}`;
    const answers = await bystander.beside(() =>
      Promise.all(
        Array.from({ length: 30 }, () => server().request('GET', path, undefined, { key: null })),
      ),
    );
    for (const answer of answers) expect(answer.status, answer.text).to.equal(400);
  });
});
