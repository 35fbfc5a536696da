// The transcript of the compiler, `transcript.txt`: the SQL of the questions or why they decline, and for the golden and for random
// queries how many decline for which reason.
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { QueryError } from '../../../src/errors.js';
import { parseQuery } from '../../../src/query/syntax/parse.js';
import type { QueryAst } from '../../../src/query/syntax/ast.js';
import { query as randomQuery } from '../../fuzz/model/arbitrary-query.js';
import { queryText } from '../../fuzz/query.js';
import { query as randomAst } from '../arbitrary-query.js';
import { astOf, goldenFiles, readGolden } from '../golden-file.js';
import { trinoOf } from './fixture.js';
import { corners, typical, withSource } from './questions.js';

export const transcriptFile = fileURLToPath(
  new URL('../../../../test/query/trino/transcript.txt', import.meta.url),
);

/** Queries for rows need a limit. */
const limited = (ast: QueryAst): QueryAst => ({ ...ast, limit: ast.limit ?? 100 });

const outcome = (ast: QueryAst): string => {
  const compiled = trinoOf(ast);
  return 'declined' in compiled ? `declined: ${compiled.declined}` : compiled.sql;
};

const shown = (questions: Readonly<Record<string, string>>): string =>
  Object.entries(questions)
    .map(([name, text]) => `# ${name}\n${text}\n${outcome(parseQuery(withSource(text)))}\n`)
    .join('\n');

/** Queries that mean nothing, and so are not compiled, are left out. */
function compiledOf(asts: Iterable<() => QueryAst>): readonly string[] {
  const outcomes: string[] = [];
  for (const ast of asts) {
    try {
      outcomes.push(outcome(limited(ast())));
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
    }
  }
  return outcomes;
}

function counts(asts: Iterable<() => QueryAst>): string {
  const outcomes = compiledOf(asts);
  const reasons = new Map<string, number>();
  for (const each of outcomes) {
    const reason = each.startsWith('declined: ') ? each.slice(10) : 'compiled';
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return [...reasons]
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([reason, count]) => `${String(count).padStart(4)} ${reason}`)
    .join('\n');
}

const golden = goldenFiles().flatMap((file) => readGolden(file).map(({ query }) => query));

/** Of the same seed in every run. */
const drawn = <T>(arbitrary: fc.Arbitrary<T>): readonly T[] =>
  fc.sample(arbitrary, { numRuns: 500, seed: 1 });

export const randomQueries = (source: string): readonly string[] =>
  drawn(randomQuery).map((query) => queryText(query, source));

export const transcript = (): string => `\
## Typical questions

${shown(typical)}
## Corners

${shown(corners)}
## Golden queries

${counts(golden.map((query) => () => astOf(query)))}

## Random queries of the model test

${counts(randomQueries("experiment('e1')").map((text) => () => parseQuery(text)))}

## Random syntax trees

${counts(drawn(randomAst).map((ast) => () => ast))}
`;
