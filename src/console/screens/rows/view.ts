// A view of rows consists of clauses of a query, which are also the parameters of the URL.
import { decimalVersion } from '../../kit/version-time.js';
import { plainText, type RawRow } from '../../json/scan.js';
import {
  allOf,
  keyFieldOf,
  listed,
  quoted,
  quotedName,
  sourceText,
  textOf,
  type Clauses,
  type Source,
} from '../../server/clauses.js';
import type { Bucket } from './buckets.js';

/** The scope of the filter: the root of each trace, any of its spans, or the trace as a whole. */
export type Scope = 'root' | 'span' | 'trace';

export interface View {
  readonly filter: string;
  readonly scope: Scope;
  /** The value of the clause `sort`; empty for newest first. */
  readonly sort: string;
  /** Expressions; null for the default columns. */
  readonly columns: readonly string[] | null;
  /** `24h`, `7d`, `<from>..<to>` as instants, or empty for all. */
  readonly range: string;
  /** Transaction id of the data to read; empty for the latest. */
  readonly version: string;
}

const scopes: ReadonlySet<string> = new Set(['root', 'span', 'trace']);

export function viewOf(parameters: URLSearchParams): View {
  const scope = parameters.get('in') ?? 'root';
  return {
    filter: parameters.get('f') ?? '',
    scope: scopes.has(scope) ? (scope as Scope) : 'root',
    sort: parameters.get('sort') ?? '',
    columns: parameters.get('cols')?.split('\n') ?? null,
    range: parameters.get('t') ?? '',
    version: decimalVersion(parameters.get('v') ?? ''),
  };
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export interface TimeRange {
  /** Milliseconds since 1970; null for no bound. */
  readonly from: number | null;
  readonly to: number | null;
}

const instantOf = (text: string): number | null => {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
};

/** @param now milliseconds since 1970 */
export function rangeOf(range: string, now: number): TimeRange {
  const relative = /^(\d{1,4})([mhd])$/.exec(range);
  if (relative !== null)
    return { from: now - Number(relative[1]) * (units[relative[2] ?? ''] ?? 0), to: null };
  const [from = '', to = ''] = range.split('..');
  return { from: instantOf(from), to: instantOf(to) };
}

const timeCondition = ({ from, to }: TimeRange): string | null =>
  allOf(
    from === null ? null : `created >= ${quoted(new Date(from).toISOString())}`,
    to === null ? null : `created < ${quoted(new Date(to).toISOString())}`,
  ) ?? null;

/** The clauses that select the rows of a view. */
export interface Selection {
  readonly source: Source;
  readonly view: Pick<View, 'filter' | 'scope'>;
  readonly time: TimeRange;
}

const hasTraces = ({ kind }: Source): boolean => kind !== 'dataset';

/** The clauses that select the rows: spans or whole traces. Only filters of roots can select spans. */
function selectingClauses({ source, view, time }: Selection, asTraces: boolean): Clauses {
  const from = sourceText(source);
  const inTime = timeCondition(time);
  if (!hasTraces(source)) return { from, filter: allOf(view.filter, inTime) ?? '' };
  const isOfRoots = view.scope === 'root';
  const traces = { from: isOfRoots && !asTraces ? from : `${from} summary` };
  if (view.scope === 'trace')
    return { ...traces, filter: allOf('is_root', inTime) ?? '', trace_filter: view.filter.trim() };
  return { ...traces, filter: allOf(isOfRoots ? 'is_root' : null, view.filter, inTime) ?? '' };
}

/** The maximum length of values in cells. */
const previewLength = 160;

/** The number of rows of the first page, which appears soon. */
const firstRows = 50;

/** The number of rows of later pages. */
export const laterRows = 200;

const defaultSort = 'created desc';

export interface ListQuery extends Selection {
  /** Expressions. */
  readonly columns: readonly string[];
  readonly sort: string;
}

/** The alias of a column, which no field has. */
export const columnName = (index: number): string => `c${index}`;

/** For a column that may hold a conversation: the content of its last message. */
export const messageName = (index: number): string => `m${index}`;

const conversations: ReadonlySet<string> = new Set(['input', 'output']);

const messageOf = (field: string): string =>
  `coalesce(${field}.messages[-1].content, ${field}[-1].content, ${field}.choices[0].message.content, ${field}.content)`;

const selected = (expression: string, index: number): readonly string[] => [
  `${expression} as ${columnName(index)}`,
  ...(conversations.has(expression) ? [`${messageOf(expression)} as ${messageName(index)}`] : []),
];

/** The key of a row. */
export const keyOf = (source: Source, row: RawRow): string =>
  plainText(row.get(keyFieldOf(source)) ?? '""');

/** The maximum number of sorted rows; a filter or another order finds the others. */
export const rowsMax = 5_000;

/** Metrics of the root, which the metrics of the trace lack. */
const rootMetricsOf = (expressions: string): readonly string[] => [
  ...new Set(expressions.match(/(?<!\.)\bmetrics\.(start|end|tokens)\b/g)),
];

const readsRoot = (expressions: string): boolean => rootMetricsOf(expressions).length > 0;

/** Fields of whole traces that the root may lack. */
export const readsTrace = (expressions: string): boolean =>
  /\bscores\b|\bmetrics\b(?!\.(start|end|tokens)\b)/.test(expressions);

/** Metrics of roots in these expressions that one query for the rows lacks, because it reads whole traces. */
export function missingMetrics(
  { source, view }: Selection,
  expressions: readonly string[],
): readonly string[] {
  const isOfTraces = view.scope !== 'root' || expressions.some(readsTrace);
  return hasTraces(source) && isOfTraces ? rootMetricsOf(expressions.join('\n')) : [];
}

const sortOf = ({ sort }: ListQuery): string => (sort === '' ? defaultSort : sort);

/** Clauses that select the roots of the traces of a view. */
export const rootsQuery = (selection: Selection): Clauses => selectingClauses(selection, false);

/** Whether a page is found among roots: the engine stops at the last of its rows, while summaries need every trace that passes. */
const areRoots = ({ source, view, sort }: ListQuery): boolean =>
  hasTraces(source) && view.scope === 'root' && !readsTrace(sort);

const isRootColumn = ({ source }: ListQuery, expression: string): boolean =>
  hasTraces(source) && readsRoot(expression);

const selectOf = (list: ListQuery, areOfRoots: boolean): string =>
  [
    'root_span_id',
    ...(areOfRoots ? [] : ['id', 'error is not null as failed']),
    ...list.columns.flatMap((expression, index) =>
      isRootColumn(list, expression) === areOfRoots ? selected(expression, index) : [],
    ),
  ].join(', ');

/** The query for a page: its rows in order, with all columns that their shape has. */
export const pageQuery = (list: ListQuery, limit = firstRows): string =>
  textOf({
    select: selectOf(list, areRoots(list)),
    ...selectingClauses(list, !areRoots(list)),
    sort: sortOf(list),
    preview_length: String(previewLength),
    limit: String(limit),
  });

/** The query for the other columns of the traces with these keys; null if there are none. */
export function otherColumnsQuery(list: ListQuery, keys: readonly string[]): string | null {
  const areOfRoots = !areRoots(list);
  if (keys.length === 0) return null;
  if (areOfRoots && !list.columns.some((expression) => isRootColumn(list, expression))) return null;
  const from = sourceText(list.source);
  const isOneOf = `root_span_id in ${listed(keys)}`;
  return textOf({
    select: selectOf(list, areOfRoots),
    from: areOfRoots ? from : `${from} summary`,
    filter: areOfRoots ? `is_root and ${isOneOf}` : isOneOf,
    // The earliest root of a trace is the last row.
    sort: areOfRoots ? 'created desc, _xact_id desc' : '',
    preview_length: String(previewLength),
  });
}

const path = /^\w+(?:\.(?:\w+|"(?:[^"\\]|"")+"))*$/;

/** The last name of a path, which the server gives its column; undefined for other expressions. */
const lastName = (expression: string): string | undefined => {
  if (!path.test(expression)) return undefined;
  const [, quotedPart, plain] = /(?:"((?:[^"]|"")*)"|(\w+))$/.exec(expression) ?? [];
  return plain ?? quotedPart?.replaceAll('""', '"');
};

/** Distinct column names: the last one of a path, or else the whole path in letters and digits, or else with a number. */
function namesOf(columns: readonly string[]): readonly string[] {
  const names = new Set(['id']);
  for (const [index, expression] of columns.entries()) {
    const last = lastName(expression) ?? `column_${index + 1}`;
    const whole = expression.replaceAll(/[^\p{L}\p{N}_]+/gu, '_').replace(/_$/, '');
    let name = names.has(last) ? whole : last;
    for (let count = 2; names.has(name); count += 1) name = `${whole}_${count}`;
    names.add(name);
  }
  return [...names].slice(1);
}

/** The query for all rows with whole values, for export. */
export const exportQuery = (list: ListQuery): string => {
  // The id is always the first column.
  const columns = list.columns.filter((expression) => expression !== 'id');
  const names = namesOf(columns);
  const expressions = [...columns, list.sort];
  const asTraces = !expressions.some(readsRoot) || expressions.some(readsTrace);
  return textOf({
    select: [
      'id',
      ...columns.map((expression, index) =>
        lastName(expression) === names[index] ? expression : `${expression} as ${names[index]}`,
      ),
    ].join(', '),
    ...selectingClauses(list, asTraces),
    sort: sortOf(list),
    preview_length: '-1',
  });
};

/** The most frequent values of an expression. */
export const facetQuery = (selection: Selection, expression: string, limit: number): string =>
  textOf({
    dimensions: `${expression} as value`,
    measures: 'count(*) as n',
    ...selectingClauses(selection, readsTrace(expression)),
    sort: 'n desc, value',
    limit: String(limit),
  });

/** The query for the number of rows of a view and their time range. A trace with several roots is one row. */
export const extentQuery = (selection: Selection): string => {
  const isOfRoots = hasTraces(selection.source) && selection.view.scope === 'root';
  const count = isOfRoots ? 'count_distinct(root_span_id)' : 'count(*)';
  return textOf({
    measures: `${count} as n, min(created) as first, max(created) as last`,
    ...selectingClauses(selection, false),
  });
};

const rootDuration = 'metrics.end - metrics.start';

/** The query for the number of rows per unit of time and their durations. */
export function histogramQuery(selection: Selection, [unit]: Bucket): string {
  const duration = selection.view.scope === 'root' ? rootDuration : 'metrics.duration';
  return textOf({
    dimensions: `${unit}(created) as t`,
    measures: `count(*) as n, count(error) as errors, percentile(${duration}, 0.95) as p95`,
    ...selectingClauses(selection, false),
  });
}

/** The query for the number of rows of a view that were written after a version. */
export const newerQuery = (selection: Selection, version: string): string => {
  const { filter = '', ...others } = selectingClauses(selection, false);
  return textOf({
    measures: 'count(*) as n',
    ...others,
    filter: allOf(`_xact_id > ${quoted(version)}`, filter) ?? '',
  });
};

/** A path in the syntax of the query language. */
export const pathText = (names: readonly string[]): string =>
  names
    .map((name, index) => (/^[A-Za-z_]\w*$/.test(name) || index === 0 ? name : quotedName(name)))
    .join('.');

/** The constant for a JSON text, which differs only in its strings and names of members. */
export const constantOf = (raw: string): string =>
  raw.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, (text) => quoted(JSON.parse(text) as string));

/** The condition that an expression has a value. */
export const isValue = (expression: string, raw: string): string => {
  const operand = path.test(expression) ? expression : `(${expression})`;
  return raw === 'null' ? `${operand} is null` : `${operand} = ${constantOf(raw)}`;
};

/**
 * The changes of the URL that select the rows with a value of an expression. Scores and metrics are those of whole traces, as in the
 * list of values; a filter that whole traces cannot have keeps its scope.
 */
export function withValue(
  { source, view }: Selection,
  expression: string,
  raw: string,
): Readonly<Record<string, string>> {
  const f = allOf(view.filter, isValue(expression, raw)) ?? '';
  const isOfTraces = hasTraces(source) && readsTrace(expression);
  const canChange = (view.scope === 'root' && !readsRoot(view.filter)) || view.filter.trim() === '';
  return isOfTraces && canChange ? { f, in: 'trace' } : { f };
}
