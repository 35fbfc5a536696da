// The steps that make the tables: those that were released stay as they are.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { catalogSteps } from '../../src/catalog/tables.js';
import type { Step } from '../../src/duckdb/migrate.js';
import { contentOf } from '../../src/duckdb/sql.js';
import { storeSteps } from '../../src/store/manifest/migrations.js';

const digestsOf = (steps: readonly Step[]): readonly string[] =>
  steps.map((step) => {
    const text = JSON.stringify(step.map(contentOf)).replaceAll(/(?:\\n|\s)+/g, ' ');
    return createHash('sha256').update(text).digest('hex').slice(0, 16);
  });

describe('the steps that make the tables', () => {
  it('are never edited once they are released', () => {
    expect(digestsOf(catalogSteps)).to.deep.equal(['0f58aaa152da09e1', '8f657b52737a86dc']);
    expect(digestsOf(storeSteps)).to.deep.equal([
      'd470c45b852be147',
      '534336c4c3d73020',
      '3470da47388945b4',
      '06c09f34e126f1fd',
    ]);
  });
});
