// `npm run explain -- '<query>'`: what every stage of the compiler makes of a query.
import { sql, toStatement } from './duckdb/sql.js';
import { RequestError } from './errors.js';
import { bindQuery } from './query/bind.js';
import { compileQuery } from './query/compile.js';
import { lookupsOf } from './query/lookups.js';
import { createParser, parseQuery } from './query/parse.js';
import { planQuery } from './query/plan.js';
import { printQuery } from './query/print.js';

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

function explain(text: string): string {
  const parser = createParser(text);
  const tree = parser.query().toStringTree(parser);
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
    section('plan', printed(planQuery(bound))),
    section('sql', statement.text),
    section('parameters', printed(statement.values.map(String))),
  ].join('');
}

try {
  process.stdout.write(explain(process.argv.slice(2).join(' ')));
} catch (error) {
  if (!(error instanceof RequestError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
