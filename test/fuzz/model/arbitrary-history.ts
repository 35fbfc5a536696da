// Random histories: lists of operations that name objects, versions and pages by numbers, which the run
// takes modulo what there is.
import * as fc from 'fast-check';
import type { Query } from '../query.js';
import { event, key, refusedEvent, rowId, scalar } from './arbitrary-event.js';
import type { Expr } from '../expression.js';
import { condition, query } from './arbitrary-query.js';
import type { ObjectKind, SentEvent } from './model-row.js';
import type { PathFilter } from './model-server.js';

/** A transaction id of the history, or the one beside it; in either spelling. */
export interface VersionPick {
  readonly pick: number;
  readonly offset: -1 | 0 | 1;
  readonly isShort: boolean;
}

export interface FetchOperation {
  readonly object: number;
  readonly limit: number | null;
  readonly filters: readonly PathFilter[];
  readonly version: VersionPick | null;
}

export type Operation =
  | { readonly kind: 'insert'; readonly object: number; readonly events: readonly SentEvent[] }
  | {
      readonly kind: 'refused insert';
      readonly object: number;
      readonly events: readonly SentEvent[];
      readonly naming: readonly string[];
    }
  | ({ readonly kind: 'fetch' | 'walk' } & FetchOperation)
  | { readonly kind: 'next page'; readonly walk: number; readonly limit: number | null }
  | ({ readonly kind: 'fetch after tuple'; readonly place: number } & FetchOperation)
  | {
      readonly kind: 'query';
      readonly source: 'experiment' | 'experiments' | 'project_logs' | 'project';
      readonly query: Query;
      readonly version: VersionPick | null;
    }
  | { readonly kind: 'summary'; readonly object: number }
  | { readonly kind: 'purge'; readonly object: number; readonly events: readonly string[] | Expr }
  | { readonly kind: 'retention'; readonly since: string; readonly kinds: readonly ObjectKind[] };

/** null is an operation that shrinking took away. */
export type History = readonly (Operation | null)[];

const pick = fc.nat({ max: 1000 });
const projectLogs = 0;
/** Project logs and two experiments; the logs get most of the events, so that they grow deep. */
const object = fc.constantFrom(projectLogs, projectLogs, projectLogs, 1, 2);

const version: fc.Arbitrary<VersionPick | null> = fc.option(
  fc.record({
    pick,
    offset: fc.constantFrom(0, 0, 0, -1, 1),
    isShort: fc.boolean(),
  }),
  { freq: 2 },
);

const insert: fc.Arbitrary<Operation> = fc
  .record({
    kind: fc.constant('insert'),
    object,
    events: fc.array(event, { minLength: 1, maxLength: 6, size: 'max' }),
  })
  .map(({ kind, object, events }) => ({ kind, object, events: events.map(fitting(object)) }));

/** Project logs know no dataset records. */
const fitting =
  (object: number) =>
  (event: SentEvent): SentEvent => {
    if (object !== projectLogs) return event;
    const { dataset_record_id: _dropped, ...fields } = event.fields;
    return { ...event, fields };
  };

const refusedInsert: fc.Arbitrary<Operation> = fc
  .record({
    object,
    before: fc.array(event, { maxLength: 2 }),
    refused: refusedEvent,
    after: fc.array(event, { maxLength: 2 }),
  })
  .map(({ object, before, refused: { naming, ...refused }, after }) => ({
    kind: 'refused insert',
    object,
    events: before.map(alwaysValid).concat(refused, after.map(alwaysValid)),
    naming: [`events[${before.length}]`, naming],
  }));

/** Nothing but the event that is meant may be the reason of the refusal. */
function alwaysValid({ parent: _dropped, ...event }: SentEvent): SentEvent {
  return fitting(projectLogs)(event);
}

const filterPath = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.constantFrom('metadata', 'input', 'output', 'scores', 'unheard_of'),
        fc.oneof({ weight: 4, arbitrary: fc.tuple<string[]>(key) }, fc.tuple<string[]>(key, key)),
      )
      .map(([field, rest]) => rest.toSpliced(0, 0, field)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(['id'], ['tags'], ['is_root'], ['root_span_id'], ['input']),
  },
);
const filterValue = fc.oneof(
  { weight: 3, arbitrary: scalar },
  { weight: 4, arbitrary: fc.constantFrom('null', '1', '"x"') },
  { weight: 1, arbitrary: fc.constantFrom('[]', '{"b":"x","a":1.0}', '[1.0,"x"]') },
  { weight: 1, arbitrary: rowId.map((id) => JSON.stringify(id)) },
);
const filter = fc.record({ path: filterPath, value: filterValue });
const filters: fc.Arbitrary<readonly PathFilter[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  {
    weight: 2,
    arbitrary: fc.oneof(
      { weight: 3, arbitrary: fc.tuple<[PathFilter]>(filter) },
      fc.tuple(filter, filter),
    ),
  },
);

const limit = fc.integer({ min: 1, max: 4 });
const fetchFields = { object, filters, version };

const fetch: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('fetch'),
  limit: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 6 })),
  ...fetchFields,
});

const walk: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('walk'),
  limit,
  ...fetchFields,
});

const nextPage: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('next page'),
  walk: pick,
  limit: fc.oneof({ weight: 4, arbitrary: limit }, { weight: 1, arbitrary: fc.constant(null) }),
});

const fetchAfterTuple: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('fetch after tuple'),
  place: pick,
  limit: fc.option<number>(limit),
  ...fetchFields,
});

const queryOperation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('query'),
  source: fc.constantFrom('experiment', 'experiments', 'project_logs', 'project_logs', 'project'),
  query,
  version,
});

const summary: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('summary'),
  object: fc.constantFrom(1, 2),
});

const purge: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('purge'),
  object,
  events: fc.oneof(fc.uniqueArray(rowId, { minLength: 1, maxLength: 3 }), condition),
});

/** Between the times that events come with; those without one are of the present. */
const retention: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constant('retention'),
  since: fc.constantFrom('2000-01-01', '2024-02-01', '2024-06-01'),
  kinds: fc.constantFrom(
    ['project_logs' as const],
    ['project_logs' as const, 'experiment' as const],
  ),
});

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 14, arbitrary: insert },
  { weight: 1, arbitrary: refusedInsert },
  { weight: 4, arbitrary: fetch },
  { weight: 3, arbitrary: walk },
  { weight: 7, arbitrary: nextPage },
  { weight: 4, arbitrary: fetchAfterTuple },
  { weight: 9, arbitrary: queryOperation },
  { weight: 1, arbitrary: summary },
);

/** Nothing but shrinking makes it shorter. */
const operations: fc.Arbitrary<History> = fc.array(fc.option(operation, { freq: 1_000_000_000 }), {
  minLength: 50,
  maxLength: 52,
  size: 'max',
});

/** At least 50 operations, in one of two histories with a removal. Others have none, since it flushes what is buffered. */
export const history: fc.Arbitrary<History> = fc.oneof(
  operations,
  fc
    .tuple(operations, fc.oneof(purge, retention), fc.nat({ max: 50 }))
    .map(([others, removal, place]) => others.toSpliced(place, 0, removal)),
);
