// The language reference shows what really happens, and leaves nothing of the language out.
import { expect } from 'chai';
import { aggregateFunctions } from '../../src/query/value/aggregates.js';
import { intervalUnits, shapes, sourceKinds } from '../../src/query/syntax/ast.js';
import { filterFunctions } from '../../src/query/bind/bind-expression.js';
import { scalarFunctions } from '../../src/query/value/functions.js';
import { binaryOperators } from '../../src/query/value/operators.js';
import { limits } from '../../src/query/syntax/limits.js';
import { clauseNames } from '../../src/query/syntax/clause-start.js';
import { QueryBody } from '../../src/schema/request.js';
import { sharedServer } from '../support/start-server.js';
import { languagePages, runSessions, sessionsOf, withoutChance } from './readme.js';
import { examplesOf, runExamples, variablesOf } from './reference.js';

const reference = [...languagePages.values()].join('\n');

describe('language reference', () => {
  const server = sharedServer();

  it('shows the real output of every example', async () => {
    const sessions = sessionsOf(reference);
    const examples = examplesOf(reference);
    expect(examples).to.have.length.of.at.least(30);
    expect(reference.match(/^```(query|sh)/gm)).to.have.length(examples.length + sessions.length);
    const outputs = await runSessions(sessions, {
      EVALSTORE_URL: server().url,
      EVALSTORE_KEY: server().key,
    });
    expect(outputs.map(withoutChance)).to.deep.equal(
      sessions.map(({ output }) => withoutChance(output)),
    );
    const answers = await runExamples(examples, server(), variablesOf(outputs));
    for (const [index, answer] of answers.entries()) {
      const { query = '', output = '' } = examples[index] ?? {};
      expect(withoutChance(answer), query).to.equal(withoutChance(output));
    }
  });

  it('has pages that can be read at once', () => {
    for (const [file, page] of languagePages)
      expect(Buffer.byteLength(page), file).to.be.at.most(8_000);
  });

  /** Words and operators of all code spans. */
  const spans = [...reference.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  const tokens = new Set(spans.flatMap((span) => span.match(/\w+|[<>!=]+|[^\s\w]/g) ?? []));
  const isCalled = (name: string) => spans.some((span) => span.startsWith(`${name}(`));
  const missing = (names: readonly string[]) => names.filter((name) => !tokens.has(name));

  it('names every clause, source and shape', () => {
    expect(missing([...clauseNames, ...sourceKinds, ...shapes])).to.deep.equal([]);
  });

  it('names every function and aggregate, with its arguments', () => {
    const names = [
      ...Object.keys(scalarFunctions),
      ...Object.keys(aggregateFunctions),
      ...filterFunctions,
      'search',
    ];
    expect(names.filter((name) => !isCalled(name))).to.deep.equal([]);
  });

  it('names every operator and unit', () => {
    const others = ['contains', '<>', 'in', 'is', 'not', '?'];
    expect(missing([...Object.keys(binaryOperators), ...others, ...intervalUnits])).to.deep.equal(
      [],
    );
  });

  it('lists every limit with its value', () => {
    const page = languagePages.get('grammar/reference/limits.md')!;
    const values = new Set(
      Array.from(page.matchAll(/\| ([\d,]+) +\|$/gm), ([, value = '']) => value),
    );
    const missed = Object.entries(limits).filter(
      ([, value]) => !values.has(value.toLocaleString('en')),
    );
    expect(missed).to.deep.equal([]);
  });

  it('names every field of the request and every format', () => {
    const schema = JSON.stringify(QueryBody.properties.fmt);
    const formats = [...schema.matchAll(/"const":"(\w+)"/g)].map(([, name = '']) => name);
    expect(formats).to.include('json');
    expect(missing([...Object.keys(QueryBody.properties), ...formats])).to.deep.equal([]);
  });
});
