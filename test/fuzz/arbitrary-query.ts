// Random queries, and what a request says beside the query.
import * as fc from 'fast-check';
import { groupsQuery } from './arbitrary-groups.js';
import { rowsQuery } from './arbitrary-select.js';
import type { Zone } from './timestamps.js';
import type { Query } from './query.js';
import { sometimesPivoted } from './pivot.js';
import { sometimesPreviewed } from './preview.js';
import { sometimesSampled } from './sample.js';
import { sometimesSummary } from './summary.js';
import { sometimesFiltered } from './trace-filters.js';
import { sometimesUnpivoted } from './unpivot.js';

const plainQuery: fc.Arbitrary<Query> = fc.oneof(
  { weight: 3, arbitrary: rowsQuery },
  { weight: 2, arbitrary: groupsQuery },
);

export const query: fc.Arbitrary<Query> = [
  sometimesUnpivoted,
  sometimesPivoted,
  sometimesSummary,
  sometimesFiltered,
  sometimesPreviewed,
  sometimesSampled,
].reduce((drawn, sometimes) => sometimes(drawn), plainQuery);

export interface Request {
  readonly query: Query;
  readonly zone: Zone | null;
  readonly useColumnstore: boolean | null;
  readonly source:
    'experiment' | 'experiments' | 'project_logs' | 'dataset' | 'project' | 'all kinds';
}

export const request: fc.Arbitrary<Request> = fc.record({
  query,
  zone: fc.constantFrom(null, 0, 480, -330, 60, -720, 'America/New_York', 'Asia/Kathmandu'),
  useColumnstore: fc.constantFrom(null, true, false),
  source: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom('project', 'experiment', 'experiments', 'project_logs'),
    },
    { weight: 1, arbitrary: fc.constantFrom('dataset', 'all kinds') },
  ),
});
