import { expect } from 'chai';
import { sharedEngine } from './query/fixture.js';
import { actualSections, goldenFiles, readGolden, withLayoutOf } from './query/golden-file.js';

describe('golden transcripts', () => {
  const engine = sharedEngine();

  for (const file of goldenFiles()) {
    describe(file, () => {
      for (const golden of readGolden(file)) {
        it(golden.name, async () => {
          const actual = withLayoutOf(golden, await actualSections(golden, engine()));
          // Each by itself: the difference of two texts is shown line by line.
          for (const section of ['error', 'rows', 'sql', 'params', 'warnings', 'tz'])
            expect(actual.get(section), section).to.equal(golden.sections.get(section));
          expect([...actual.keys()].toSorted()).to.deep.equal(
            [...golden.sections.keys()].toSorted(),
          );
        });
      }
    });
  }
});
