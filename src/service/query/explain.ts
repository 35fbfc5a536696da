// "explain" of a query: a row for each statement that the engine would run, with the files that it reads and the engine's plan. The
// statements that precede the query run, and the query itself for "analyze" alone.
import path from 'node:path';
import { join, toStatement, type Sql, type Statement } from '../../duckdb/sql.js';
import { RequestError } from '../../errors.js';
import { planStatement } from '../../query/sql/explain.js';
import type { EventBranch } from '../../schema/event-relation.js';
import type { Snapshot } from '../../store/event-store.js';
import { requirePrincipal } from '../access/access.js';
import type { Caller, Services } from '../context.js';
import { jsonReply, type TextReply } from '../reply.js';
import { canSeeServer } from '../monitor/project-sizes.js';
import { versionHeaders } from '../version.js';
import type { CompiledRun } from './compiled-run.js';
import { freshness } from './freshness.js';

/** @throws RequestError 401 without a key, 403 for a caller that may not see the numbers of the server */
export function checkExplain(services: Services, caller: Caller): void {
  if (!canSeeServer(services, requirePrincipal(caller)))
    throw new RequestError(
      403,
      'explain: only owners of an organisation see how the server runs a query',
    );
}

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap(stringsIn) : [];
};

/** All files that a read of the branch can name. */
function filesOf({ rows, parts }: EventBranch): readonly string[] {
  const named = [rows, ...(parts === undefined ? [] : [parts.from, parts.narrow])];
  const { values } = toStatement(join(named, ' '));
  const all = [...values.flatMap(stringsIn), ...Object.values(parts?.files ?? {})];
  return [...new Set(all)].filter((name) => path.isAbsolute(name));
}

/** The names of all leaf columns. */
const leavesOf = ({ paths }: EventBranch): readonly string[] =>
  Object.values(paths ?? {})
    .flatMap(({ leaves }) => Array.from(leaves.values(), (leaf) => Object.values(leaf)))
    .flat()
    .filter((name): name is string => name !== null);

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** The files, below the data directory, and the leaf columns of a branch that a statement reads. */
function sourceOf(branch: EventBranch, { text, values }: Statement, dataDirectory: string) {
  const named = new Set(values.flatMap(stringsIn));
  return {
    name: branch.name,
    files: filesOf(branch)
      .filter((file) => named.has(file))
      .map((file) => path.relative(path.resolve(dataDirectory), file)),
    leaf_columns: leavesOf(branch).filter((leaf) => text.includes(quoted(leaf))),
  };
}

export interface ExplainOptions {
  readonly isAnalyzed: boolean;
  /** What the query would be on the cluster; null without one. */
  readonly cluster: object | null;
  readonly signal: AbortSignal;
}

/** @param run compiled on the snapshot */
export async function explainQuery(
  { config }: Services,
  snapshot: Snapshot,
  { relation, compiled, chunks, queue }: CompiledRun,
  { isAnalyzed, cluster, signal }: ExplainOptions,
): Promise<TextReply> {
  const planOf = async (query: Sql): Promise<string> => {
    const rows = await snapshot.plan(planStatement(query, isAnalyzed), { queue, signal });
    return rows.map((row) => String(row['explain_value']).trimEnd()).join('\n');
  };
  const data: object[] = [];
  for (const chunk of chunks) {
    const { page, valueRows } = chunk();
    const query = page?.valueRows ?? valueRows;
    const statement = toStatement(query);
    data.push({
      engine: queue,
      sources: relation.branches.map((branch) => sourceOf(branch, statement, config.dataDir)),
      sql: statement.text,
      parameters: statement.values,
      plan: await planOf(query),
    });
  }
  const schema = { type: 'array', items: { type: 'object', properties: {} } };
  const answer = {
    data,
    schema,
    ...freshness(snapshot),
    warnings: compiled.warnings,
    ...(cluster && { cluster }),
  };
  const text = JSON.stringify(answer, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return jsonReply(text, versionHeaders(snapshot.version));
}
