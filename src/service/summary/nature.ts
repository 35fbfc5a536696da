// What a summary asks of the rows before it sums them up, remembered for as long as these are unchanged.
import { LRUCache } from 'lru-cache';
import { memberNames } from '../../query/summary/member-names.js';
import type { MemberName } from '../../query/summary/measures.js';
import { traceShape, traceShapeQuery, type TraceShape } from '../../query/summary/trace-shape.js';
import type { EventRelation } from '../../schema/event-relation.js';
import type { EventStore } from '../../store/event-store.js';
import type { Services } from '../context.js';
import { readRows, type Reading } from '../read-rows.js';

interface Nature {
  readonly shape: TraceShape;
  readonly members: readonly MemberName[];
}

const naturesMax = 1000;

/** By identity of the relation: rows that do not change keep their nature. */
const natures = new WeakMap<EventStore, LRUCache<string, Nature>>();

function naturesOf({ store }: Services): LRUCache<string, Nature> {
  const known = natures.get(store) ?? new LRUCache<string, Nature>({ max: naturesMax });
  natures.set(store, known);
  return known;
}

async function readNature(reading: Reading, relation: EventRelation): Promise<Nature> {
  const [counts = []] = await readRows(reading, traceShapeQuery(relation));
  const names = await readRows(reading, memberNames(relation));
  const members = names.map(([column, name]) => ({ column, name }) as MemberName);
  return { shape: traceShape(counts), members };
}

/** @throws RequestError 400 for a passed budget, 429 when too many queries wait */
export async function natureOf(
  services: Services,
  reading: Reading,
  relation: EventRelation,
): Promise<Nature> {
  const identity = relation.identity ?? null;
  const known = identity === null ? undefined : naturesOf(services).get(identity);
  if (known !== undefined) return known;
  const nature = await readNature(reading, relation);
  if (identity !== null) naturesOf(services).set(identity, nature);
  return nature;
}
