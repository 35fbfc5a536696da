// Filters of traces, compared with what they mean: some row of the trace passes the whole filter, in which each `any_span` is
// true if some row passes its condition.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { toStatement, trusted } from '../../src/duckdb/sql.js';
import type { EventRelation } from '../../src/schema/event-relation.js';
import { sharedEngine } from './fixture.js';
import { compile } from './golden-file.js';

type Truth = boolean | null;

/** A row by the values of `metadata.p` and `metadata.q`. */
interface Row {
  readonly p: Truth;
  readonly q: Truth;
}

interface Trace {
  readonly id: string;
  readonly rows: readonly Row[];
}

const truths: readonly Truth[] = [true, false, null];

const kindsOfRow: readonly Row[] = truths.flatMap((p) => truths.map((q) => ({ p, q })));

/** All traces of one or two rows. */
const traces: readonly Trace[] = kindsOfRow
  .flatMap((first, index) =>
    [null, ...kindsOfRow.slice(index)].map((second) =>
      second === null ? [first] : [first, second],
    ),
  )
  .map((rows, index) => ({ id: `t${index}`, rows }));

const valuesOf = ({ id, rows }: Trace): readonly string[] =>
  rows.map((row, index) => `('${id}', '${id}-${index}', '${JSON.stringify(row)}')`);

const branchOf = (part: readonly Trace[], index: number) => ({
  name: `buffer ${index}`,
  rows: trusted(
    `(SELECT event.* REPLACE (given.trace AS root_span_id, given.id AS id, given.metadata AS metadata) FROM event, (VALUES ${part.flatMap(valuesOf).join(', ')}) AS given(trace, id, metadata) WHERE event.id = 'r1')`,
  ),
  hasLossless: false,
  paths: null,
});

const relation: EventRelation = { branches: [traces.slice(0, 20), traces.slice(20)].map(branchOf) };

type Filter =
  | { readonly kind: 'field'; readonly name: 'p' | 'q' }
  | { readonly kind: 'not' | 'any'; readonly operand: Filter }
  | { readonly kind: 'and' | 'or'; readonly left: Filter; readonly right: Filter };

function textOf(filter: Filter): string {
  switch (filter.kind) {
    case 'field':
      return `metadata.${filter.name}`;
    case 'not':
      return `not (${textOf(filter.operand)})`;
    case 'any':
      return `any_span(${textOf(filter.operand)})`;
    default:
      return `(${textOf(filter.left)} ${filter.kind} ${textOf(filter.right)})`;
  }
}

/** The value of a filter in a row of a trace, with the nulls of SQL. */
function valueOf(filter: Filter, row: Row, trace: Trace): Truth {
  switch (filter.kind) {
    case 'field':
      return row[filter.name];
    case 'not': {
      const value = valueOf(filter.operand, row, trace);
      return value === null ? null : !value;
    }
    case 'any':
      return passes(filter.operand, trace);
    default: {
      const left = valueOf(filter.left, row, trace);
      const right = valueOf(filter.right, row, trace);
      const decisive = filter.kind === 'or';
      if (left === decisive || right === decisive) return decisive;
      return left === null || right === null ? null : !decisive;
    }
  }
}

const passes = (filter: Filter, trace: Trace): boolean =>
  trace.rows.some((row) => valueOf(filter, row, trace) === true);

const logical = (leaf: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> =>
  fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small' },
      leaf,
      tie('filter').map((operand): Filter => ({ kind: 'not', operand })),
      fc
        .tuple(fc.constantFrom('and' as const, 'or' as const), tie('filter'), tie('filter'))
        .map(([kind, left, right]): Filter => ({ kind, left, right })),
    ),
  })).filter;

const p: Filter = { kind: 'field', name: 'p' };
const q: Filter = { kind: 'field', name: 'q' };
const ofRows = fc.constantFrom(p, q);

const filters = logical(
  fc.oneof(
    ofRows,
    logical(ofRows).map((operand): Filter => ({ kind: 'any', operand })),
  ),
);

const any = (operand: Filter): Filter => ({ kind: 'any', operand });
const not = (operand: Filter): Filter => ({ kind: 'not', operand });
const both = (left: Filter, right: Filter): Filter => ({ kind: 'and', left, right });
const either = (left: Filter, right: Filter): Filter => ({ kind: 'or', left, right });

const mixed: readonly Filter[] = [
  both(p, both(any(p), q)),
  both(p, either(any(not(p)), q)),
  both(p, not(either(any(both(p, q)), q))),
  not(both(any(p), q)),
  either(any(both(p, q)), both(q, either(p, any(not(q))))),
];

const queryOf = (filter: Filter, shape: string) =>
  `select: root_span_id as id | from: experiment('e1') ${shape} | filter: ${textOf(filter)}`;

const hasWindow = (filter: Filter): boolean =>
  toStatement(compile(queryOf(filter, 'summary'), relation).valueRows).text.includes(' OVER ');

describe('filters of traces', () => {
  const engine = sharedEngine();

  async function check(filter: Filter) {
    const wanted = traces.filter((trace) => passes(filter, trace)).map(({ id }) => id);
    for (const query of [
      queryOf(filter, 'traces'),
      `${queryOf(filter, 'traces')} | sort: created | limit: 100`,
      queryOf(filter, 'summary'),
    ]) {
      const { columns, valueRows } = compile(query, relation);
      const found = await engine().result(columns, valueRows);
      const ids = new Set(found.map(({ text }) => (JSON.parse(text) as { id: string }).id));
      expect(
        traces.map(({ id }) => id).filter((id) => ids.has(id)),
        query,
      ).to.deep.equal(wanted);
    }
  }

  for (const filter of mixed) it(`pass what a row passes: ${textOf(filter)}`, () => check(filter));

  it('pass what a row passes, however any_span is combined with conditions on rows', async () => {
    await fc.assert(fc.asyncProperty(filters, check), { numRuns: 40 });
  });

  it('use a window only where any_span is mixed with conditions on rows other than by and', () => {
    const simple = [
      both(p, both(any(p), q)),
      either(both(any(p), q), p),
      both(not(either(any(p), any(q))), p),
    ];
    for (const filter of simple) expect(hasWindow(filter), textOf(filter)).to.equal(false);
    for (const filter of mixed.slice(1)) expect(hasWindow(filter), textOf(filter)).to.equal(true);
  });
});
