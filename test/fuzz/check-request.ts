// One query, sent to the server and worked out by hand.
import { expectSame, listOf, Mismatch, readReply } from './model/conversation.js';
import { canonical, doubleOf, isObject, textIn, type Tagged } from './model/tagged-json.js';
import type { Aggregated } from './aggregates.js';
import { answer, type Answer, type AnswerRow } from './answer.js';
import type { Field } from './candidate.js';
import type { Request } from './arbitrary-query.js';
import { cell } from './coverage.js';
import { queryText, type Query } from './query.js';
import { sampledRows } from './sample.js';
import { rowsOf, sourceOf, type State } from './states.js';
import { asJson } from './timestamps.js';

/** What a query met. */
export interface Met {
  readonly cells: ReadonlySet<string>;
  readonly rows: number;
}

/** @throws Mismatch when the answers differ, Unspecified when the documents leave the answer open */
export async function checkRequest(state: State, request: Request): Promise<Met> {
  const { query, zone, useColumnstore } = request;
  const source = sourceOf(state.conversation, request.source);
  const rows = rowsOf(source);
  const cells = new Set<string>();
  const now = BigInt(Date.now()) * 1000n;
  const expected = answer(hasPages(query) ? { ...query, limit: null } : query, rows, {
    context: { zone: zone ?? 0, now },
    observe: (op, kind) => cells.add(cell(op, kind)),
  });
  const body = {
    query: queryText(query, source.text),
    tz_offset: zone ?? undefined,
    use_columnstore: useColumnstore ?? undefined,
  };
  const what = `${state.name}: ${JSON.stringify(body)}\n${body.query}`;
  const shown = await shownRows(what, state, body, query);
  const { sample } = query;
  if (sample === null) {
    checkRows(what, query, shown, expected, rows);
  } else {
    const again = await shownRows(what, state, body, query);
    expectSame(`${what}\n  asked again`, again, shown);
    const sampled = sampledRows(what, sample, shown, expected.rows);
    checkRows(what, query, shown, { ...expected, rows: sampled }, rows);
  }
  return { cells, rows: shown.length };
}

/** Queries that are walked page by page: together the pages show what there is without a limit. */
const hasPages = ({ kind, shape, limit }: Query): boolean =>
  kind === 'rows' && shape !== 'traces' && limit !== null && limit > 0;

async function shownRows(
  what: string,
  { server }: State,
  body: { readonly query: string },
  query: Query,
): Promise<readonly Tagged[]> {
  const shown: Tagged[] = [];
  let text = body.query;
  for (;;) {
    const answer = await server.request('POST', '/query', { ...body, query: text });
    const reply = readReply(what, answer);
    const page = listOf(reply, 'data');
    shown.push(...page);
    const cursor = reply.body['cursor'] ?? null;
    if (!hasPages(query) || cursor === null) return shown;
    if (page.length !== query.limit) throw new Mismatch(`${what}\n  a page of ${page.length}`);
    text = `${body.query}\ncursor: '${textIn(cursor)}'`;
  }
}

/** @throws Mismatch when the rows of the server are others, with the data that they come from */
export function checkRows(
  what: string,
  query: Query,
  shown: readonly Tagged[],
  { columns, rows: expected }: Answer,
  rows: readonly Field[],
): void {
  const differs = (row: AnswerRow | undefined, index: number) =>
    row === undefined || !isAnswerRow(query, columns, row, shown[index]);
  const length = Math.max(shown.length, expected.length);
  const place = Array.from({ length }, (_, index) => index).find((index) =>
    differs(expected[index], index),
  );
  if (place === undefined) return;
  throw new Mismatch(
    [
      what,
      `  ${shown.length} rows for ${expected.length}, the first difference is row ${place}`,
      `  server:   ${JSON.stringify(shown[place])}`,
      `  expected: ${JSON.stringify(expected[place]?.outputs.map(({ value }) => asJson(value)))}`,
      `  data:\n${dataText(expected[place]?.rows ?? rows)}`,
    ].join('\n'),
  );
}

const shownFields = [
  'id',
  'created',
  'input',
  'output',
  'expected',
  'scores',
  'metadata',
  'metrics',
];

const dataText = (rows: readonly Field[]): string =>
  rows
    .map((row) => `    ${shownFields.map((name) => canonical(asJson(row(name)))).join(' ')}`)
    .join('\n');

function isAnswerRow(
  query: Query,
  columns: Answer['columns'],
  expected: AnswerRow,
  shown: Tagged | undefined,
): boolean {
  if (shown === undefined || !isObject(shown)) return false;
  const names = columns.map(({ alias }) => `s${alias}`);
  return (
    Object.keys(shown).join() === names.join() &&
    columns.every((column, index) =>
      isExpected(isBare(query, column), expected.outputs[index], shown[names[index]!] ?? null),
    )
  );
}

/** Of a path by itself the stored JSON is shown, digit by digit; groups hold all equal values. */
const isBare = ({ kind }: Query, { expression }: Answer['columns'][number]): boolean =>
  kind === 'rows' && expression.kind === 'path';

function isExpected(isBare: boolean, expected: Aggregated | undefined, shown: Tagged): boolean {
  if (expected === undefined) return false;
  const { value, tolerance, anyOf } = expected;
  if (anyOf !== undefined && anyOf.length > 0)
    return anyOf.some((each) => isExpected(false, { value: each, tolerance: 0 }, shown));
  const json = asJson(value);
  const [wanted, got] = [doubleOf(json), doubleOf(shown)];
  if (wanted !== null && got !== null && tolerance > 0) return Math.abs(wanted - got) <= tolerance;
  return isBare
    ? JSON.stringify(json) === JSON.stringify(shown)
    : canonical(printed(json)) === canonical(printed(shown));
}

/** A number beyond the doubles prints as null when it is computed, and as JSON when it is stored. */
const printed = (value: Tagged): Tagged => {
  const double = doubleOf(value);
  return double !== null && !Number.isFinite(double) ? null : value;
};
