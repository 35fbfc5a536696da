// What can follow the part of a filter before the caret.
import { keyFieldOf, sourceText, textOf, type Clauses } from '../../server/clauses.js';
import { rootsQuery, type Selection } from './view.js';

/** A value after a path and an operator. */
interface ValuePlace {
  readonly path: string;
  /** Whether the value is an element of the array at the path. */
  readonly isElement: boolean;
  readonly typed: string;
  readonly from: number;
}

interface Place {
  /** The typed part of a path, and its start. */
  readonly path: { readonly typed: string; readonly from: number } | null;
  readonly value: ValuePlace | null;
}

const pathPattern = `[A-Za-z_][\\w]*(?:\\.(?:"(?:[^"]|"")*"|\\w+))*`;
const valueBehind = new RegExp(
  `(${pathPattern})\\s*(?:=|!=|<>|\\b((?:not\\s+)?includes))\\s*('[^']*|[\\w.]*)$`,
  'i',
);
const typedPath = /(?:^|[\s(,])([A-Za-z_][\w."]*)$/;
const insideText = /^(?:[^']|'[^']*')*'[^']*$/;
const endsPath = new RegExp(`(?:^|[\\s(])(${pathPattern})\\s+$`);

/** The path that ends before the caret; undefined if there is none. */
export const pathBefore = (before: string): string | undefined => endsPath.exec(before)?.[1];

/** @param before the filter up to the caret */
export function placeOf(before: string): Place {
  const value = valueBehind.exec(before);
  if (value !== null) {
    const [, path = '', includes, typed = ''] = value;
    const from = before.length - typed.length;
    return { path: null, value: { path, isElement: includes !== undefined, typed, from } };
  }
  if (insideText.test(before)) return { path: null, value: null };
  const path = typedPath.exec(before);
  if (path === null) {
    const isStart = /(?:^|[(]|\b(?:and|or|not)\s)\s*$/i.test(before);
    return { path: isStart ? { typed: '', from: before.length } : null, value: null };
  }
  const typed = path[1]!;
  return { path: { typed, from: before.length - typed.length }, value: null };
}

const valuesMax = 50;

/** The rows that a filter tests: the roots, all spans, or the traces. */
function testedRows(selection: Selection): Clauses {
  const clauses = rootsQuery(selection);
  const { source, view } = selection;
  return view.scope === 'span' ? { ...clauses, from: sourceText(source) } : clauses;
}

/** The query for the most frequent values, with the number of rows that a filter for each selects. */
export function valuesQuery(selection: Selection, { path, isElement }: ValuePlace): string {
  const { source, view } = selection;
  const isRepeated = isElement || view.scope === 'span';
  return textOf({
    dimensions: `${isElement ? 'element' : path} as value`,
    measures: `${isRepeated ? `count_distinct(${keyFieldOf(source)})` : 'count(*)'} as n`,
    ...testedRows(selection),
    unpivot: isElement ? `${path} as element` : '',
    sort: 'n desc, value',
    limit: String(valuesMax),
  });
}
