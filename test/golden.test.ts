import { expect } from 'chai';
import { openEngine, type Engine } from './query/fixture.js';
import { actualSections, goldenFiles, readGolden } from './query/golden-file.js';

describe('golden transcripts', () => {
  let engine: Engine;

  before(async () => {
    engine = await openEngine();
  });

  after(() => engine.close());

  for (const file of goldenFiles()) {
    describe(file, () => {
      for (const golden of readGolden(file)) {
        it(golden.name, async () => {
          const actual = await actualSections(golden, engine);
          expect(Object.fromEntries(actual)).to.deep.equal(Object.fromEntries(golden.sections));
        });
      }
    });
  }
});
