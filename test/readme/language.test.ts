// Every example of the language reference, against a real server.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { aggregateFunctions } from '../../src/query/aggregates.js';
import { scalarFunctions } from '../../src/query/functions.js';
import { clauseNames } from '../../src/query/syntax-error.js';
import { sharedServer } from '../support/start-server.js';

const page = readFileSync(
  fileURLToPath(new URL('../../../grammar/README.md', import.meta.url)),
  'utf8',
);

const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, kind = '', text = '']) => ({
  kind,
  text: text.trim(),
}));

describe('language reference', () => {
  const server = sharedServer();
  let source: string;

  before(async () => {
    const project = (await server().request('POST', '/v1/project', { name: 'reference' })).json();
    const id = String(project['id']);
    source = `from: project_logs('${id}')`;
    const events = JSON.parse(blocks[0]?.text ?? '') as object[];
    const inserted = await server().request('POST', `/v1/project_logs/${id}/insert`, { events });
    expect(inserted.status).to.equal(200);
  });

  const examples = blocks.flatMap(({ kind, text }, index) =>
    kind === 'query' ? [{ query: text, shown: blocks[index + 1] }] : [],
  );

  it('has examples', () => {
    expect(examples).to.have.length.greaterThan(8);
  });

  for (const { query, shown } of examples)
    it(query.replaceAll('\n', ' | '), async () => {
      const answer = await server().request('POST', '/query', { query: `${query}\n${source}` });
      if (shown?.kind === 'error') {
        expect([answer.status, answer.text]).to.deep.equal([400, shown.text]);
      } else {
        expect(answer.json()['data']).to.deep.equal(JSON.parse(shown?.text ?? ''));
      }
    });

  it('names every clause, function and aggregate', () => {
    const names = [
      ...clauseNames,
      ...Object.keys(aggregateFunctions),
      ...Object.keys(scalarFunctions),
    ];
    const words = new Set(page.match(/\w+/g));
    expect(names.filter((name) => !words.has(name))).to.deep.equal([]);
  });
});
