// Facts about a relation that a summary needs before its main statement, cached while the rows are unchanged.
import { LRUCache } from 'lru-cache';
import { memberNames } from '../../query/summary/member-names.js';
import type { MemberName } from '../../query/summary/measures.js';
import { traceShape, traceShapeQuery, type TraceShape } from '../../query/summary/trace-shape.js';
import type { EventRelation } from '../../schema/event-relation.js';
import type { EventStore } from '../../store/event-store.js';
import type { Services } from '../context.js';
import { readRows, type Reading } from '../read-rows.js';

interface RelationFacts {
  readonly shape: TraceShape;
  readonly members: readonly MemberName[];
}

const factsMax = 1000;

/** Cached by the identity of the relation, which changes with its rows. */
const knownFacts = new WeakMap<EventStore, LRUCache<string, RelationFacts>>();

function factsOf({ store }: Services): LRUCache<string, RelationFacts> {
  const known = knownFacts.get(store) ?? new LRUCache<string, RelationFacts>({ max: factsMax });
  knownFacts.set(store, known);
  return known;
}

async function readFacts(reading: Reading, relation: EventRelation): Promise<RelationFacts> {
  const [counts = []] = await readRows(reading, traceShapeQuery(relation));
  const names = await readRows(reading, memberNames(relation));
  const members = names.map(([column, name]) => ({ column, name }) as MemberName);
  return { shape: traceShape(counts), members };
}

/** @throws RequestError 400 for an exceeded budget, 429 if too many queries wait */
export async function relationFacts(
  services: Services,
  reading: Reading,
  relation: EventRelation,
): Promise<RelationFacts> {
  const identity = relation.identity ?? null;
  const known = identity === null ? undefined : factsOf(services).get(identity);
  if (known !== undefined) return known;
  const facts = await readFacts(reading, relation);
  if (identity !== null) factsOf(services).set(identity, facts);
  return facts;
}
