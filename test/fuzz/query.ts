// A query as plain data, and its text.
import { doubleQuoted, expressionText, wordText, type Style } from './print.js';
import type { Expr } from './expression.js';
import { keyName, valueName, type Unpivot } from './unpivot.js';

export interface Output {
  readonly expression: Expr;
  readonly alias: string;
  /** A path whose last part is its name needs none. */
  readonly isNamed: boolean;
}

export interface SortItem {
  readonly expression: Expr;
  readonly direction: '' | ' asc' | ' desc';
}

export interface Query {
  readonly kind: 'rows' | 'groups';
  /** What `dimensions` says. */
  readonly keys: readonly Output[];
  /** What `select` says, or `measures`. */
  readonly outputs: readonly Output[];
  /** Aggregates that stand in `select`. */
  readonly inSelect: boolean;
  readonly shape: '' | 'spans' | 'traces' | 'summary';
  readonly unpivot: Unpivot | null;
  /** Places in `outputs` that become columns for each value of the last key. */
  readonly pivot: readonly number[];
  readonly sample: Sample | null;
  /** Characters of long values; -1 for all. */
  readonly preview: number | null;
  readonly filter: Expr | null;
  readonly finalFilter: Expr | null;
  /** Of the shapes of traces. */
  readonly traceFilter: Expr | null;
  /** Of the shape `traces`. */
  readonly spanFilter: Expr | null;
  readonly sort: readonly SortItem[];
  readonly limit: number | null;
  readonly style: {
    readonly parentheses: 'few' | 'all';
    readonly separator: ' | ' | '\n' | '\n\n  | ' | ' ';
    readonly isUpperCase: boolean;
    readonly order: number;
    readonly comment: string;
  };
}

/** A query of this kind without any clause. */
export const plainQuery = (kind: Query['kind']): Query => ({
  kind,
  keys: [],
  outputs: [],
  inSelect: false,
  shape: '',
  unpivot: null,
  pivot: [],
  sample: null,
  preview: null,
  filter: null,
  finalFilter: null,
  traceFilter: null,
  spanFilter: null,
  sort: [],
  limit: null,
  style: { parentheses: 'all', separator: ' | ', isUpperCase: false, order: 0, comment: '' },
});

/** A share of the rows or traces, or how many of them. */
export interface Sample {
  readonly amount: number;
  readonly unit: '%' | '';
}

export const outputsOf = ({ keys, outputs }: Query): readonly Output[] => [...keys, ...outputs];

function itemsText(items: readonly Output[], style: Style): string {
  return items
    .map(({ expression, alias, isNamed }) => {
      const text = expressionText(expression, style);
      return isNamed ? `${text} as ${wordText(alias)}` : text;
    })
    .join(', ');
}

const unpivotText = ({ expression, of }: Unpivot, style: Style): string =>
  `${expressionText(expression, style)} as ${of === 'object' ? `(${keyName}, ${valueName})` : valueName}`;

/** Names that are words of the language stand in quotes. */
const nameText = (name: string): string => (/^[a-z]\d+$/.test(name) ? name : doubleQuoted(name));

export function queryText(query: Query, source: string): string {
  const { parentheses, separator, order, isUpperCase, comment } = query.style;
  const aliases = outputsOf(query).map(({ alias }) => alias);
  const style: Style = { parentheses, aliases };
  const text = (expression: Expr) => expressionText(expression, style);
  const sort = query.sort.map((item) => `${text(item.expression)}${item.direction}`).join(', ');
  const outputs = itemsText(query.outputs, style);
  const given: readonly (readonly [string, string])[] = [
    [query.kind === 'rows' || query.inSelect ? 'select' : 'measures', outputs],
    ['dimensions', itemsText(query.keys, style)],
    ['from', `${source} ${query.shape}`.trim()],
    ['unpivot', query.unpivot === null ? '' : unpivotText(query.unpivot, style)],
    ['filter', query.filter === null ? '' : text(query.filter)],
    ['final_filter', query.finalFilter === null ? '' : text(query.finalFilter)],
    ['trace_filter', query.traceFilter === null ? '' : text(query.traceFilter)],
    ['span_filter', query.spanFilter === null ? '' : text(query.spanFilter)],
    ['sort', sort],
    ['pivot', query.pivot.map((index) => nameText(query.outputs[index]?.alias ?? '')).join(', ')],
    ['sample', query.sample === null ? '' : `${query.sample.amount}${query.sample.unit}`],
    ['preview_length', query.preview === null ? '' : String(query.preview)],
    ['limit', query.limit === null ? '' : String(query.limit)],
  ];
  const clauses = given
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${isUpperCase ? name.toUpperCase() : name}: ${value}`);
  const turned = [
    ...clauses.slice(order % clauses.length),
    ...clauses.slice(0, order % clauses.length),
  ];
  const [first = '', ...rest] = turned;
  const lead = comment === '' ? '' : `-- ${comment}\n`;
  return `${lead}${[first, ...rest].join(separator)}`;
}
