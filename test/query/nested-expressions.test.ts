// Nested expressions: each operand is computed once, whatever is around it. No lambda is in the body of another one because of the
// nesting, since each such level doubles the planning time of the engine.
import { expect } from 'chai';
import { sql, toStatement } from '../../src/duckdb/sql.js';
import { QueryError } from '../../src/errors.js';
import { scalarFunctions } from '../../src/query/value/functions.js';
import { binaryOperators } from '../../src/query/value/operators.js';
import { bindAll, bindOnce } from '../../src/query/value/share.js';
import { compile, from, list } from './large-queries.js';

/** Puts an expression beside another one. */
type Form = (inner: string, other: string) => string;

const constantArguments: Readonly<Record<string, readonly Form[]>> = {
  date_trunc: [(inner) => `date_trunc('week', ${inner})`],
  json_extract: [(inner) => `json_extract(${inner}, 'a[0]')`],
};

/** The function with the inner expression as each of up to three arguments. */
function formsOf(name: string, minimum: number, maximum: number): readonly Form[] {
  const count = Math.min(Math.max(minimum, 3), maximum);
  return Array.from(
    { length: count },
    (_, position) => (inner, other) =>
      `${name}(${list(count, (index) => (index === position ? inner : other))})`,
  );
}

const calls = Object.entries(scalarFunctions).flatMap(
  ([name, { minimum, maximum }]) => constantArguments[name] ?? formsOf(name, minimum, maximum),
);

const operators = Object.keys(binaryOperators).flatMap((operator): readonly Form[] => [
  (inner, other) => `(${inner} ${operator} ${other})`,
  (inner, other) => `(${other} ${operator} ${inner})`,
]);

const others: readonly Form[] = [
  (inner) => `(not ${inner})`,
  (inner) => `(-${inner})`,
  (inner) => `(${inner} is null)`,
  (inner, other) => `(${inner} ? ${other} : output)`,
  (inner, other) => `(${other} ? ${inner} : output)`,
  (inner, other) => `(${other} ? output : ${inner})`,
  (inner, other) => `(${inner} = ${other} ? input : ${other})`,
  (inner, other) => `(${inner} in [${other}, 'b', 1, [1]])`,
  (inner, other) => `(${other} in [${inner}, 'b'])`,
  (inner) => `(${inner} - interval 1 month)`,
  (inner, other) => `(created + (${inner} > ${other} ? interval 1 day : interval 2 day))`,
];

const nested = (form: Form, other: string, depth: number): string =>
  depth === 0 ? 'input' : form(nested(form, other, depth - 1), other);

const sqlOf = (expression: string): string =>
  toStatement(compile(`select: ${expression} as x | ${from}`).valueRows).text;

/** How many bodies of lambdas are around the innermost one. A body ends at the bracket that closes its call. */
function lambdaDepth(text: string): number {
  const open: number[] = [];
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|lambda \w+:|[()[\]{}]/g)) {
    if (token.startsWith('lambda')) {
      depth += 1;
      open.push((open.pop() ?? 0) + 1);
      deepest = Math.max(deepest, depth);
    } else if ('([{'.includes(token)) open.push(0);
    else if (')]}'.includes(token)) depth -= open.pop() ?? 0;
  }
  return deepest;
}

const rounded: Form = (inner) => `round(1, ${inner})`;

const shifted: Form = (inner) =>
  `(created > created + (${inner}) ? interval 1 day : interval 2 day)`;

const boundText = (...args: Parameters<typeof bindAll>) => toStatement(bindAll(...args)).text;

describe('nested expressions', () => {
  for (const other of ['lower(output)', '(is_root ? input : output)'])
    it(`beside ${other}: the SQL grows about with the depth, and lambdas are no deeper in others`, () => {
      for (const form of [...calls, ...operators, ...others]) {
        const name = form('…', other);
        const [half, whole] = [5, 10].map((depth) => sqlOf(nested(form, other, depth)));
        expect(whole!.length / half!.length, name).to.be.lessThan(3);
        expect(lambdaDepth(whole!), name).to.be.at.most(2);
      }
    });

  it('in the digits of round are written once', () => {
    expect(sqlOf(nested(rounded, '', 29))).to.have.length.below(5000);
  });

  it('in intervals are written once', () => {
    const text = sqlOf(`created + ${nested(shifted, '', 40)}`);
    expect(text).to.have.length.below(20_000);
  });

  for (const argument of ['lower(metadata.k)', '(is_root ? input : output)'])
    it(`400 arguments ${argument} of coalesce are side by side`, () => {
      const text = sqlOf(`coalesce(${list(400, (n) => argument.replace('k)', `k${n})`))})`);
      expect(lambdaDepth(text)).to.be.at.most(1);
    });

  it('of search in search are refused, since each copies its pattern', () => {
    expect(() => compile(`select: id | ${from} | filter: search(search('a'))`)).to.throw(
      QueryError,
      /^query line 1, column 54: search is not allowed inside another one$/,
    );
    expect(() =>
      compile(`select: id | ${from} | filter: search(lower(search('a')) = 'b' ? 'c' : 'd')`),
    ).to.throw(QueryError, /search is not allowed inside another one$/);
    expect(() =>
      compile(`select: id | ${from} | filter: search('a') or search('b')`),
    ).not.to.throw();
  });
});

describe('an expression that is bound to a name', () => {
  const expression = sql`lower(x)`;

  it('is used by a body that is built once', () => {
    let built = 0;
    const body = () => {
      built += 1;
      return sql`1`;
    };
    bindOnce(expression, body);
    expect(built).to.equal(1);
  });

  it('is in its place if it occurs once', () => {
    expect(boundText([expression, sql`upper(y)`], ([x, y]) => sql`f(${y!}, ${x!})`)).to.equal(
      'f(upper(y), lower(x))',
    );
  });

  it('is beside the others if one of them occurs twice', () => {
    const text = boundText(
      [expression, sql`y`, sql`upper(y)`],
      ([a, b, c]) => sql`f(${a!}, ${b!}, ${c!}, ${c!})`,
    );
    expect(text.replaceAll(/v[0-9a-f]{12}/g, 'v')).to.equal(
      'list_transform([{e0: lower(x), e1: upper(y)}], lambda v: f(v.e0, y, v.e1, v.e1))[1]',
    );
  });
});
