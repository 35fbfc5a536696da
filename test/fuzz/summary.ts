// The shape `summary`: a row for each trace, with its means and metrics.
import * as fc from 'fast-check';
import { memberOf } from './model/model-server.js';
import { byCodePoint, doubleOf, isObject, tag, textIn, type Tagged } from './model/tagged-json.js';
import type { Field } from './candidate.js';
import type { Query } from './query.js';
import { instantOf } from './timestamps.js';

const ofTraces = (plain: Query): Query =>
  plain.unpivot === null ? { ...plain, shape: 'summary' } : plain;

/** Now and then a query is about traces as a whole. */
export const sometimesSummary = (query: fc.Arbitrary<Query>): fc.Arbitrary<Query> =>
  fc.tuple(query, fc.nat(7)).map(([plain, chance]) => (chance > 0 ? plain : ofTraces(plain)));

/** `rows` are in the default order, and so are the summaries of their traces. */
export function summariesOf(rows: readonly Field[]): readonly Field[] {
  const traces = new Map<string, Field[]>();
  for (const row of rows) {
    const trace = textIn(row('root_span_id'));
    traces.set(trace, [...(traces.get(trace) ?? []), row]);
  }
  return [...traces.values()].map(summaryOf);
}

function summaryOf(rows: readonly Field[]): Field {
  const earliest = rows.toReversed().toSorted(byCreated);
  const roots = earliest.filter((row) => row('is_root') === true);
  const shown = roots[0] ?? earliest[0]!;
  const computed: Readonly<Record<string, Tagged>> = {
    _xact_id: rows[0]?.('_xact_id') ?? null,
    scores: objectOf(meansOf(rows, 'scores')),
    metrics: objectOf(metricsOf(rows, roots)),
  };
  return (name) => (Object.hasOwn(computed, name) ? (computed[name] ?? null) : shown(name));
}

const byCreated = (left: Field, right: Field): number =>
  Number((instantOf(left('created')) ?? 0n) - (instantOf(right('created')) ?? 0n));

type Numbers = Readonly<Record<string, number | null>>;

/** Members that are numbers, by their names in order; numbers repeat to 15 digits. */
function objectOf(numbers: Numbers): Tagged {
  const members = Object.entries(numbers)
    .filter((member): member is [string, number] => member[1] !== null)
    .toSorted(([left], [right]) => byCodePoint(left, right))
    .map(([name, value]) => `${JSON.stringify(name)}:${Number(value.toPrecision(15))}`);
  return members.length === 0 ? null : tag(`{${members.join(',')}}`);
}

const present = (numbers: readonly (number | null)[]): readonly number[] =>
  numbers.filter((number) => number !== null);

function sum(numbers: readonly (number | null)[]): number | null {
  const all = present(numbers);
  return all.length === 0 ? null : all.reduce((left, right) => left + right, 0);
}

function mean(numbers: readonly (number | null)[]): number | null {
  const total = sum(numbers);
  return total === null ? null : total / present(numbers).length;
}

function meansOf(rows: readonly Field[], field: 'scores' | 'metrics'): Numbers {
  const objects = rows.map((row) => row(field)).filter(isObject);
  const names = new Set(objects.flatMap((object) => Object.keys(object)));
  return Object.fromEntries(
    [...names].map((name) => [
      name.slice(1),
      mean(objects.map((object) => doubleOf(object[name] ?? null))),
    ]),
  );
}

const metric = (row: Field, name: string): number | null =>
  doubleOf(memberOf(row('metrics'), name));

const attribute = (row: Field, name: string): Tagged => memberOf(row('span_attributes'), name);

const difference = (end: number | null, start: number | null): number | null =>
  end === null || start === null ? null : end - start;

/** All but what scorers did. */
const isCounted = (row: Field): boolean => attribute(row, 'purpose') !== 'sscorer';

function metricsOf(rows: readonly Field[], roots: readonly Field[]): Numbers {
  const counted = rows.filter(isCounted);
  const ofType = (type: string) => counted.filter((row) => attribute(row, 'type') === `s${type}`);
  const calls = ofType('llm');
  const tokens = (of: (row: Field) => number | null) =>
    sum((calls.length > 0 ? calls : counted).map(of));
  const { start: _start, end: _end, tokens: _tokens, ...others } = meansOf(counted, 'metrics');
  return {
    ...others,
    duration: durationOfTasks(ofType('task')) ?? durationOfRoot(roots),
    prompt_tokens: tokens((row) => metric(row, 'prompt_tokens')),
    completion_tokens: tokens((row) => metric(row, 'completion_tokens')),
    total_tokens: tokens(totalTokens),
    llm_calls: calls.length,
    tool_calls: ofType('tool').length,
    errors: counted.filter((row) => row('error') !== null).length,
  };
}

function durationOfTasks(tasks: readonly Field[]): number | null {
  const times = tasks
    .map((row) => [metric(row, 'start'), metric(row, 'end')] as const)
    .filter((pair): pair is readonly [number, number] => !pair.includes(null));
  if (times.length === 0) return null;
  return Math.max(...times.map(([, end]) => end)) - Math.min(...times.map(([start]) => start));
}

/** Of the earliest root that has both times. */
const durationOfRoot = (roots: readonly Field[]): number | null =>
  roots
    .filter(isCounted)
    .map((row) => difference(metric(row, 'end'), metric(row, 'start')))
    .find((duration) => duration !== null) ?? null;

function totalTokens(row: Field): number | null {
  const [prompt, completion] = [metric(row, 'prompt_tokens'), metric(row, 'completion_tokens')];
  const both = prompt === null || completion === null ? null : prompt + completion;
  return metric(row, 'total_tokens') ?? metric(row, 'tokens') ?? both;
}
