// The names of scores and metrics in a summary are those of its experiments.
import { expect } from 'chai';
import { trusted, type Sql } from '../../src/duckdb/sql.js';
import {
  pathKey,
  type ColumnPaths,
  type EventBranch,
  type SegmentPaths,
} from '../../src/schema/event-relation.js';
import { relationFacts } from '../../src/service/summary/relation-facts.js';
import type { Snapshot } from '../../src/store/event-store.js';
import { sharedEngine } from '../query/fixture.js';

const listing = (names: readonly string[]): ColumnPaths => ({
  leaves: new Map(),
  textPaths: new Set(names.map((name) => pathKey([name]))),
  complete: true,
});

const branch = (name: string, condition: string, paths: SegmentPaths): EventBranch => ({
  name,
  rows: trusted(`(SELECT *, CAST(NULL AS UUID) AS _input_hash FROM event WHERE ${condition})`),
  hasLossless: true,
  paths,
});

const foreign = (segment: number): readonly string[] =>
  Array.from({ length: 198 }, (_, index) => `foreign ${segment} ${index}`);

describe('the names in a summary', () => {
  const engine = sharedEngine();

  const stream = async function* (query: Sql) {
    yield (await engine().all(query)).map((row) => Object.values(row));
  };

  const found = async (branches: readonly EventBranch[]) => {
    const snapshot = { stream, weight: () => ({ rows: 0, bytes: 0 }) } as unknown as Snapshot;
    const { signal } = new AbortController();
    const { members } = await relationFacts({ snapshot, objectIds: ['e1'], signal }, { branches });
    return members.map(({ column, name }) => `${column}.${name}`);
  };

  it('are those in the lists of the segments while these are few', async () => {
    const paths = { scores: listing(['x', 'y', 'z']), metrics: listing(['cost']) };
    expect(await found([branch('segment', 'TRUE', paths)])).to.deep.equal([
      'metrics.cost',
      'scores.x',
      'scores.y',
      'scores.z',
    ]);
  });

  it('are those of the rows if the segments list many names of other objects', async () => {
    const branches = Array.from({ length: 11 }, (_, index) =>
      branch(`segment ${index}`, index === 0 ? 'TRUE' : 'FALSE', {
        scores: listing([...foreign(index), 'x', 'y']),
        metrics: listing([]),
      }),
    );
    const names = await found(branches);
    expect(names).to.include.members(['scores.x', 'scores.y']);
    expect(names.filter((name) => name.includes('foreign'))).to.deep.equal([]);
  });
});
