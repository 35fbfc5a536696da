// Random queries, and what a request says beside the query.
import * as fc from 'fast-check';
import { groupsQuery } from './arbitrary-groups.js';
import { rowsQuery } from './arbitrary-select.js';
import type { Query } from './query.js';
import { sometimesUnpivoted } from './unpivot.js';

export const query: fc.Arbitrary<Query> = sometimesUnpivoted(
  fc.oneof({ weight: 3, arbitrary: rowsQuery }, { weight: 2, arbitrary: groupsQuery }),
);

export interface Request {
  readonly query: Query;
  readonly tzOffset: number | null;
  readonly useColumnstore: boolean | null;
  readonly source: 'experiment' | 'experiments' | 'project_logs' | 'project' | 'both kinds';
}

export const request: fc.Arbitrary<Request> = fc.record({
  query,
  tzOffset: fc.constantFrom(null, 0, 480, -330, 60, -720),
  useColumnstore: fc.constantFrom(null, true, false),
  source: fc.constantFrom('project', 'experiment', 'experiments', 'project_logs', 'both kinds'),
});
