// `npm run explain -- [--use-columnstore] '<query>'`: what every stage of the compiler makes of a query.
import { sql, toStatement } from './duckdb/sql.js';
import { RequestError } from './errors.js';
import { bindQuery } from './query/bind/bind.js';
import { compileQuery } from './query/compile.js';
import { lookupsOf } from './query/lookups.js';
import { createParser, parseQuery, parseTree } from './query/syntax/parse.js';
import { planQuery } from './query/sql/plan.js';
import { printQuery } from './query/syntax/print.js';
import { sealEveryMs, sealedAbove } from './store/event-store.js';

const relation = { arms: [{ name: 'buffer', rows: sql`event`, hasLossless: false, paths: null }] };

const section = (title: string, content: string) => `${title}\n${content}\n\n`;

const printed = (value: unknown): string =>
  JSON.stringify(
    value,
    (key, part: unknown) => {
      if (key === 'at') return undefined;
      if (typeof part === 'bigint') return part.toString();
      return part instanceof Map ? Object.fromEntries(part) : part;
    },
    2,
  );

const columnstore = (isUsed: boolean): string =>
  isUsed
    ? `more than ${sealedAbove} buffered rows of the sources: moved to segments first, at most every ${sealEveryMs / 1000} s per project; fewer, or with a version: read from the buffer`
    : 'buffered rows: read from the buffer';

function explain(text: string, usesColumnstore: boolean): string {
  const parser = createParser(text);
  const tree = parseTree(parser).toStringTree(parser);
  const ast = parseQuery(text);
  const bound = bindQuery(ast);
  const nowMicros = BigInt(Date.now()) * 1000n;
  const context = { tzOffsetMinutes: 0, nowMicros };
  const compiled = compileQuery(ast, { relation, ...context });
  const statement = toStatement(compiled.rows);
  return [
    section('tree', tree),
    section('ast', printed(ast)),
    section('text', printQuery(ast)),
    section('bound', printed(bound)),
    section('lookups', printed(lookupsOf(ast, context))),
    section('columnstore', columnstore(usesColumnstore)),
    section('plan', printed(planQuery(bound))),
    section('sql', statement.text),
    section('parameters', printed(statement.values.map(String))),
  ].join('');
}

try {
  const [option, ...words] = process.argv.slice(2);
  const usesColumnstore = option === '--use-columnstore';
  const query = (usesColumnstore ? words : process.argv.slice(2)).join(' ');
  process.stdout.write(explain(query, usesColumnstore));
} catch (error) {
  if (!(error instanceof RequestError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
