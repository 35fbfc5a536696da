// A view of rows is parts of a query, and the address holds them word for word.
import {
  allOf,
  quoted,
  quotedName,
  sourceText,
  textOf,
  type Clauses,
  type Source,
} from '../../server/clauses.js';

/** Which rows the filter asks: the root of each trace, any of its spans, or the trace as a whole. */
export type Scope = 'root' | 'span' | 'trace';

export interface View {
  readonly filter: string;
  readonly scope: Scope;
  /** As the clause `sort` has it; empty for the newest first. */
  readonly sort: string;
  /** Expressions; null for the usual ones. */
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
    version: parameters.get('v') ?? '',
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

/** Which rows a view has. */
export interface Selection {
  readonly source: Source;
  readonly view: Pick<View, 'filter' | 'scope'>;
  readonly time: TimeRange;
}

const hasTraces = ({ kind }: Source): boolean => kind !== 'dataset';

/** Clauses that select the rows as spans, where that is the same and cheaper, else as traces. */
function selectingClauses({ source, view, time }: Selection, asTraces: boolean): Clauses {
  const from = sourceText(source);
  const inTime = timeCondition(time);
  if (!hasTraces(source)) return { from, filter: allOf(view.filter, inTime) ?? '' };
  if (view.scope === 'root')
    return {
      from: asTraces ? `${from} summary` : from,
      filter: allOf('is_root', view.filter, inTime) ?? '',
    };
  if (view.scope === 'span')
    return { from: `${from} summary`, filter: allOf(view.filter, inTime) ?? '' };
  return {
    from: `${from} summary`,
    filter: allOf('is_root', inTime) ?? '',
    trace_filter: view.filter.trim(),
  };
}

/** Length that values in cells are cut to. */
const previewLength = 160;

export const pageRows = 100;

export const defaultSort = 'created desc, id desc';

export interface ListQuery extends Selection {
  /** Expressions. */
  readonly columns: readonly string[];
  readonly sort: string;
}

/** Values of the column with the index; a name that no field has. */
export const columnName = (index: number): string => `c${index}`;

/** Of a column that may hold a conversation: the text of its last message. */
export const messageName = (index: number): string => `m${index}`;

const conversations: ReadonlySet<string> = new Set(['input', 'output']);

const messageOf = (field: string): string =>
  `coalesce(${field}.messages[-1].content, ${field}[-1].content, ${field}.choices[0].message.content, ${field}.content)`;

const selected = (expression: string, index: number): readonly string[] => [
  `${expression} as ${columnName(index)}`,
  ...(conversations.has(expression) ? [`${messageOf(expression)} as ${messageName(index)}`] : []),
];

/** The query of the rows that a table shows. */
export const listQuery = (list: ListQuery): string =>
  textOf({
    select: [
      'id',
      'root_span_id',
      'error is not null as failed',
      ...list.columns.flatMap(selected),
    ].join(', '),
    ...selectingClauses(list, true),
    sort: list.sort === '' ? defaultSort : `${list.sort}, id desc`,
    preview_length: String(previewLength),
    limit: String(pageRows),
  });

const lastName = (expression: string): string | undefined =>
  /^[\w.]+$/.test(expression) ? expression.split('.').at(-1) : undefined;

/** Names that say what a column holds, each once. */
function namesOf(columns: readonly string[]): readonly string[] {
  const names: string[] = [];
  for (const [index, expression] of columns.entries()) {
    const name = lastName(expression) ?? `column_${index + 1}`;
    names.push(names.includes(name) || name === 'id' ? expression.replaceAll(/\W+/g, '_') : name);
  }
  return names;
}

/** The same rows, whole and all of them, to be taken elsewhere. */
export const exportQuery = (list: ListQuery): string => {
  const names = namesOf(list.columns);
  return textOf({
    select: [
      'id',
      ...list.columns.map((expression, index) =>
        lastName(expression) === names[index] ? expression : `${expression} as ${names[index]}`,
      ),
    ].join(', '),
    ...selectingClauses(list, true),
    sort: list.sort === '' ? defaultSort : `${list.sort}, id desc`,
    preview_length: '-1',
  });
};

/** How many rows there are, and from when to when. */
export const extentQuery = (selection: Selection): string =>
  textOf({
    measures: 'count(*) as n, min(created) as first, max(created) as last',
    ...selectingClauses(selection, false),
  });

/** The most frequent values of an expression. */
export const facetQuery = (selection: Selection, expression: string, limit: number): string =>
  textOf({
    dimensions: `${expression} as value`,
    measures: 'count(*) as n',
    ...selectingClauses(selection, selection.source.kind !== 'dataset' && isOfTrace(expression)),
    sort: 'n desc, value',
    limit: String(limit),
  });

/** Fields that a trace has as a whole, and its root may not. */
const isOfTrace = (expression: string): boolean => /^(scores|metrics)\b/.test(expression);

/** Units of time, with their lengths in milliseconds, shortest first. */
const buckets = [
  ['second', 1000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['week', 604_800_000],
  ['month', 2_629_800_000],
] as const;

export type Bucket = (typeof buckets)[number];

const bucketsMax = 120;

/** The shortest unit of which the time does not take too many. */
export const bucketFor = (first: number, last: number): Bucket =>
  buckets.find(([, length]) => (last - first) / length <= bucketsMax) ?? buckets[5];

export const histogramQuery = (selection: Selection, [unit]: Bucket): string =>
  textOf({
    dimensions: `${unit}(created) as t`,
    measures: 'count(*) as n, count(error) as errors',
    ...selectingClauses(selection, false),
  });

/** How many rows came after a version. */
export const newerQuery = ({ source }: Selection, version: string): string =>
  textOf({
    measures: 'count(*) as n',
    from: sourceText(source),
    filter: allOf(`_xact_id > ${quoted(version)}`, hasTraces(source) ? 'is_root' : null) ?? '',
  });

/** The latest version that is no later than a time, in milliseconds since 1970. */
export const versionAt = (time: number): string =>
  String((0x0de1n << 48n) | (BigInt(Math.floor(time / 1000)) << 16n) | 0xffffn);

/** When a version was written, in milliseconds since 1970. */
export const timeOfVersion = (version: string): number =>
  Number((BigInt(version) >> 16n) & 0xffffffffn) * 1000;

/** A condition added to a filter. */
export const withCondition = (filter: string, condition: string): string =>
  allOf(filter.trim() === '' ? null : filter, condition) ?? '';

/** A path as the query language writes it. */
export const pathText = (names: readonly string[]): string =>
  names
    .map((name, index) => (/^[A-Za-z_]\w*$/.test(name) || index === 0 ? name : quotedName(name)))
    .join('.');

/** The constant that a value is written as, from its JSON text; null for what has none. */
export function constantOf(raw: string): string | null {
  if (raw.startsWith('"')) return quoted(JSON.parse(raw) as string);
  return /^[[{]/.test(raw) ? null : raw;
}

/** The condition that an expression has a value. */
export function isValue(expression: string, raw: string): string | null {
  if (raw === 'null') return `${expression} is null`;
  const constant = constantOf(raw);
  return constant === null ? null : `${expression} = ${constant}`;
}
