// Explains the reads of a query in a data directory: files and leaf columns, the SQL, and the engine's plan.
import { toStatement } from '../duckdb/sql.js';
import { noTypes } from '../query/bind/path-types.js';
import { prepareQuery } from '../query/compile.js';
import type { QueryAst } from '../query/syntax/ast.js';
import { compiledOn, readable } from '../service/query/compiled-run.js';
import type { OpenedDirectory } from './data-directory.js';
import { describeRelation } from './relation.js';
import { printed, section } from './sections.js';

/**
 * Runs the statements that the server runs before a query, but not the query itself, unless `isAnalyzed`.
 * @throws QueryError for a source that is not in the directory; RequestError for an exceeded budget
 */
export async function reading(
  { catalog, store, caller }: OpenedDirectory,
  ast: QueryAst,
  dataDirectory: string,
  isAnalyzed: boolean,
): Promise<string> {
  const services = { catalog };
  const request = {};
  const { objects, promptSources, auditedIds } = readable(services, caller, request, ast);
  const objectIds = objects.map(({ id }) => id);
  const snapshot = await store.snapshot();
  try {
    const { signal } = new AbortController();
    const nowMicros = BigInt(Date.now()) * 1000n;
    const sources = { objectIds, promptSources, auditedIds };
    const moment = { after: null, nowMicros, types: noTypes };
    const checked = { request, prepared: prepareQuery(ast), ...sources, ...moment, signal };
    const { relation, slices, lane } = await compiledOn(services, snapshot, checked);
    const queries = slices.map((slice) => {
      const { page, valueRows } = slice();
      return page?.valueRows ?? valueRows;
    });
    const statements = queries.map(toStatement);
    const plans: string[] = [];
    for (const query of queries) plans.push(await store.plan(query, lane, isAnalyzed));
    const parts = statements.map(({ text, values }, index) =>
      [
        section('sql', text),
        section('parameters', printed(values)),
        section(isAnalyzed ? 'engine, with times' : 'engine', plans[index] ?? ''),
      ].join(''),
    );
    return [
      section(
        'data',
        `${dataDirectory}, version ${snapshot.version}, engine for ${lane === 'small' ? 'small reads' : 'queries'}`,
      ),
      section('relation', describeRelation(relation, statements, dataDirectory)),
      ...parts,
    ].join('');
  } finally {
    await snapshot.release();
  }
}
