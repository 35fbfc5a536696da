// The number of series by project is bounded.
import { expect } from 'chai';
import { bounded, type ProjectNumbers } from '../../src/service/monitor/project-metrics.js';

const project = (name: string, bytes: number): ProjectNumbers => ({
  project_id: `id of ${name}`,
  project_name: name,
  segments: 1,
  rows: 2,
  superseded_rows: 0,
  bytes,
  events: 3,
  event_bytes: 4,
  refused: 5,
});

describe('metrics by project', () => {
  it('are of the projects with the most bytes, and of all others together', () => {
    const [small, large, middle] = [project('a', 1), project('b', 9), project('c', 5)];
    expect(bounded([small, large, middle], 3)).to.deep.equal([large, middle, small]);
    expect(bounded([small, large, middle], 1)).to.deep.equal([
      large,
      {
        project_id: '',
        project_name: 'other projects',
        segments: 2,
        rows: 4,
        superseded_rows: 0,
        bytes: 6,
        events: 6,
        event_bytes: 8,
        refused: 10,
      },
    ]);
  });
});
