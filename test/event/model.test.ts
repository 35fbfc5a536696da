// Random requests, decoded and applied, against a model that works on plain JavaScript objects.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { applyEvents, neededRows } from '../../src/event/apply.js';
import { decodeEvents } from '../support/decode-events.js';
import { RequestError } from '../../src/errors.js';
import type { EventObject, UnplacedRow } from '../../src/schema/event-row.js';

const object: EventObject = { kind: 'dataset', id: 'd', projectId: 'p', orgId: 'o' };

interface SentEvent {
  readonly id: string;
  readonly _is_merge?: true;
  readonly _merge_paths?: readonly (readonly string[])[];
  readonly _object_delete?: true;
  readonly _parent_id?: string;
  readonly span_id?: string;
  readonly input?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly tags?: readonly string[] | null;
}

interface ModelRow {
  readonly deleted: boolean;
  readonly created: bigint;
  readonly spanId: string;
  readonly rootSpanId: string;
  readonly parents: readonly string[] | null;
  readonly tags: readonly string[] | null;
  readonly input: unknown;
  readonly metadata: unknown;
}

const id = fc.constantFrom('a', 'b', 'c', 'd');
const name: fc.Arbitrary<string> = fc.constantFrom('k', 'l', 'm');
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 1, 0.5, 'x'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
const fields = {
  input: value,
  metadata: fc.option(fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true })),
  tags: fc.option(fc.array(name, { maxLength: 2 })),
};
const always = { requiredKeys: ['id'] as ['id'] };
const mergePath = fc
  .tuple(fc.constantFrom('input', 'metadata'), fc.array(name, { maxLength: 2 }))
  .map(([field, rest]) => rest.toSpliced(0, 0, field));

const event: fc.Arbitrary<SentEvent> = fc.oneof(
  fc.record({ id, span_id: fc.string(), ...fields }, always),
  fc.record({ id, _object_delete: fc.constant(true as const) }),
  fc.record({ id, _parent_id: id, ...fields }, { requiredKeys: ['id', '_parent_id'] }),
  fc.record(
    {
      id,
      _is_merge: fc.constant(true as const),
      _merge_paths: fc.array(mergePath, { maxLength: 2 }),
      ...fields,
    },
    { requiredKeys: ['id', '_is_merge'] },
  ),
) as fc.Arbitrary<SentEvent>;

const isObject = (json: unknown): json is Record<string, unknown> =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

function modelMerge(
  base: unknown,
  patch: unknown,
  path: string,
  stops: readonly string[],
): unknown {
  if (!isObject(base) || !isObject(patch) || stops.includes(path)) return patch;
  const merged = { ...base };
  for (const [key, part] of Object.entries(patch)) {
    merged[key] = modelMerge(base[key], part, `${path}.${key}`, stops);
  }
  return merged;
}

type Model = Map<string, ModelRow>;

/** What the events write when `state` is stored. */
function applyToModel(
  state: ReadonlyMap<string, ModelRow>,
  events: readonly SentEvent[],
  now: bigint,
  newId: () => string,
): Model {
  const written: Model = new Map();
  const liveRow = (key: string): ModelRow | undefined => {
    const row = written.get(key) ?? state.get(key);
    return row === undefined || row.deleted ? undefined : row;
  };
  for (const sent of events) {
    const row = modelRow(sent, liveRow, now, newId);
    written.delete(sent.id);
    written.set(sent.id, row);
  }
  return written;
}

function modelRow(
  sent: SentEvent,
  liveRow: (key: string) => ModelRow | undefined,
  now: bigint,
  newId: () => string,
): ModelRow {
  const base = liveRow(sent.id);
  if (sent._is_merge === true && base !== undefined) {
    const stops = (sent._merge_paths ?? []).map((path) => path.join('.'));
    const merged = (field: 'input' | 'metadata') =>
      sent[field] === undefined ? base[field] : modelMerge(base[field], sent[field], field, stops);
    const tags = sent.tags === undefined ? base.tags : sent.tags;
    return { ...base, tags, input: merged('input'), metadata: merged('metadata') };
  }
  const parent = sent._parent_id === undefined ? undefined : liveRow(sent._parent_id);
  if (sent._parent_id !== undefined && parent === undefined) throw new RangeError('no parent');
  const spanId = sent.span_id ?? newId();
  const deleted = sent._object_delete === true;
  return {
    deleted,
    created: now,
    spanId,
    rootSpanId: parent?.rootSpanId ?? spanId,
    parents: parent === undefined ? null : [parent.spanId],
    tags: sent.tags ?? null,
    input: sent.input ?? null,
    metadata: sent.metadata ?? null,
  };
}

const counter = () => {
  let made = 0;
  return () => `new-${(made += 1)}`;
};

const inModelTerms = (row: UnplacedRow): ModelRow => ({
  deleted: row._deleted,
  created: row.created,
  spanId: row.span_id,
  rootSpanId: row.root_span_id,
  parents: row.span_parents,
  tags: row.tags,
  input: JSON.parse(row.input ?? 'null') as unknown,
  metadata: JSON.parse(row.metadata ?? 'null') as unknown,
});

type Outcome = readonly (readonly [string, ModelRow])[] | 'refused';

function outcomeOf(apply: () => Outcome): Outcome {
  try {
    return apply();
  } catch (error) {
    if (error instanceof RequestError || error instanceof RangeError) return 'refused';
    throw error;
  }
}

describe('event/decode and event/apply', () => {
  it('do what a model over plain objects does, request after request', () => {
    fc.assert(
      fc.property(fc.array(fc.array(event, { maxLength: 6 }), { maxLength: 5 }), (requests) => {
        const stored = new Map<string, UnplacedRow>();
        const state: Model = new Map();
        for (const [index, events] of requests.entries()) {
          const now = BigInt(index);
          const incoming = decodeEvents('dataset', JSON.stringify({ events }));
          const live = new Map<string, UnplacedRow>();
          for (const key of neededRows(incoming).ids) {
            const row = stored.get(key);
            if (row?._deleted === false) live.set(key, row);
          }
          const rows: UnplacedRow[] = [];
          const actual = outcomeOf(() => {
            rows.push(...applyEvents(object, incoming, live, now, counter()));
            return rows.map((row) => [row.id, inModelTerms(row)]);
          });
          const expected = outcomeOf(() => [...applyToModel(state, events, now, counter())]);
          expect(actual).to.deep.equal(expected);
          for (const row of rows) stored.set(row.id, row);
          if (expected !== 'refused') for (const [key, row] of expected) state.set(key, row);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
