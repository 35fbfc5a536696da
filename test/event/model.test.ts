// Random requests, decoded and applied in memory one after the other, leave the rows that the model of events says.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { neededRows } from '../../src/event/apply.js';
import type { NewRow } from '../../src/event/row.js';
import { RequestError } from '../../src/errors.js';
import type { EventObject, UncommittedRow } from '../../src/schema/event-row.js';
import { event, insertBody } from '../fuzz/model/arbitrary-event.js';
import {
  applyRequest,
  Refused,
  valueFields,
  type Cell,
  type RowState,
  type SentEvent,
} from '../fuzz/model/model-row.js';
import { string, tag, type Tagged } from '../fuzz/model/tagged-json.js';
import { applyEvents } from '../support/apply-events.js';
import { decodeEvents } from '../support/decode-events.js';
import { rowOfStrings } from '../support/json-strings.js';

const object: EventObject = { kind: 'experiment', id: 'e', projectId: 'p', orgId: 'o' };

/** In the spelling of the model: seconds and microseconds. */
function spelledTime(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return `${(micros - fraction) / 1_000_000n}.${String(fraction).padStart(6, '0')}`;
}

function valueIn(row: UncommittedRow, name: (typeof valueFields)[number]): Tagged {
  if (name === 'tags') return row.tags?.map(string) ?? null;
  const text = row[name];
  if (text === null) return null;
  return name === 'dataset_record_id' ? string(text) : tag(text);
}

const textsOf = (cells: readonly Cell[] | null) => cells?.map(({ text }) => text) ?? null;

/** The row of the server in the terms of the model, and what the model expects there. */
function compared(state: RowState, row: UncommittedRow): readonly [unknown, unknown] {
  const { id, deleted, created, spanId, rootSpanId, spanParents, values } = state;
  return [
    JSON.stringify({
      row: [row.id, row._deleted, spelledTime(row.created)],
      span: [row.span_id, row.root_span_id, row.span_parents, row.span_parents === null],
      values: valueFields.map((name) => valueIn(row, name)),
    }),
    JSON.stringify({
      row: [id, deleted, created.text],
      span: [spanId.text, rootSpanId.text, textsOf(spanParents), row.is_root],
      values: valueFields.map((name) => values[name] ?? null),
    }),
  ];
}

/** Takes over what the code chose: the time of the request, and an id that nobody has. */
function learn(state: RowState, row: NewRow, now: bigint, used: Set<string>): void {
  state.created.text ??= spelledTime(now);
  const chosen = (cell: Cell, text: string) => {
    if (cell.text !== undefined) return;
    if (!/^new-\d+$/.test(text) || used.has(text)) throw new Error(`${text} is no new id`);
    used.add(text);
    cell.text = text;
  };
  chosen(state.spanId, row.span_id);
  chosen(state.rootSpanId, row.root_span_id);
  // A parent that the same request replaces is not stored.
  for (const [index, cell] of (state.spanParents ?? []).entries())
    chosen(cell, row.span_parents?.[index] ?? '');
}

type Outcome<T> = readonly T[] | RequestError | Refused;

function outcomeOf<T>(apply: () => readonly T[]): Outcome<T> {
  try {
    return apply();
  } catch (error) {
    if (error instanceof RequestError || error instanceof Refused) return error;
    throw error;
  }
}

/** Requests against one object, and both accounts of its rows. */
function openObject() {
  const stored = new Map<string, NewRow>();
  const states = new Map<string, RowState>();
  const used = new Set<string>();
  const liveState = (id: string) =>
    states.get(id)?.deleted === false ? states.get(id) : undefined;
  let made = 0;
  return (events: readonly SentEvent[], now: bigint) => {
    const incoming = decodeEvents('experiment', insertBody(events));
    const live = new Map<string, NewRow>();
    for (const key of neededRows(incoming)) {
      const row = stored.get(key);
      if (row?._deleted === false) live.set(key, row);
    }
    const ids = incoming.map(({ id }) => id);
    const rows = outcomeOf(() =>
      applyEvents(object, incoming, live, now, { newId: () => `new-${(made += 1)}` }),
    );
    const wanted = outcomeOf(() => applyRequest(events, ids, liveState));
    if (rows instanceof Error || wanted instanceof Error) {
      expect(rows).to.be.instanceOf(RequestError);
      expect(wanted).to.be.instanceOf(Refused);
      expect((rows as RequestError).message).to.include((wanted as Refused).naming);
      return;
    }
    expect(rows.map(({ id }) => id)).to.deep.equal(wanted.map(({ id }) => id));
    for (const [index, state] of wanted.entries()) {
      const row = rows[index]!;
      learn(state, row, now, used);
      const [actual, expected] = compared(state, rowOfStrings(row));
      expect(actual).to.equal(expected);
      stored.set(row.id, row);
      states.set(state.id, state);
    }
  };
}

describe('event/decode and event/apply', () => {
  it('do what the model of events does, request after request', () => {
    fc.assert(
      fc.property(fc.array(fc.array(event, { maxLength: 6 }), { maxLength: 5 }), (requests) => {
        const send = openObject();
        for (const [index, events] of requests.entries()) send(events, BigInt(index) * 1500n);
      }),
      { numRuns: 500 },
    );
  });
});
