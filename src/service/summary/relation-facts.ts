// Facts about a relation that a summary needs before its main statement.
import { badRequest } from '../../errors.js';
import { listedNamesMax, memberNames } from '../../query/summary/member-names.js';
import type { MemberName } from '../../query/summary/measures.js';
import { traceShape, traceShapeQuery, type TraceShape } from '../../query/summary/trace-shape.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { readRows, type Reading } from '../query/read-rows.js';

interface RelationFacts {
  readonly shape: TraceShape;
  readonly members: readonly MemberName[];
}

/** The largest number of measures in a summary. Time is linear in it: at twice the limit, some seconds. */
const namesMax = 2000;

/** @throws RequestError 400 for an exceeded budget or too many names, 429 if too many queries wait */
export async function relationFacts(
  reading: Reading,
  relation: EventRelation,
): Promise<RelationFacts> {
  const [counts = []] = await readRows(reading, traceShapeQuery(relation));
  const names = await namesIn(reading, relation);
  if (names.length > namesMax)
    throw badRequest(
      `the scores and metrics have more than ${namesMax} different names, the limit of a summary: read some of them with a query`,
    );
  const members = names.map(([column, name]) => ({ column, name }) as MemberName);
  return { shape: traceShape(counts), members };
}

/** If there are many names, those of the rows alone: each segment may list names of other objects. */
async function namesIn(reading: Reading, relation: EventRelation) {
  const names = await readRows(reading, memberNames(relation, listedNamesMax + 1));
  if (names.length <= listedNamesMax) return names;
  const unlisted = relation.branches.map((branch) => ({ ...branch, paths: null }));
  return readRows(reading, memberNames({ branches: unlisted }, namesMax + 1));
}
