// A million random bodies; and proof that the comparison sees: each fault, planted into a copy of the built server, is
// found within 40,000 of them.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { copyBuild, plant, removeBuild } from '../support/planted.js';
import { newSeed } from '../support/seed.js';
import { scannerFaults } from './scanner-faults.js';
import type * as suite from './scanner-suite.js';
import { scannerAgrees } from './scanner-suite.js';

describe('random bodies at full length', () => {
  scannerAgrees(1_000_000);
});

const parts = ['dist/src', 'dist/test/fuzz', 'dist/test/json', 'dist/test/support'];

describe('the comparison of scanner and decoder finds', () => {
  for (const fault of scannerFaults)
    it(`${fault.name}, within 40,000 bodies`, async () => {
      // A module is loaded once from each place.
      const build = await copyBuild(parts);
      try {
        await plant(build, fault);
        const module = path.join(build, 'dist/test/fuzz/scanner-suite.js');
        const { compareBodies } = (await import(pathToFileURL(module).href)) as typeof suite;
        const seed = newSeed();
        const { failure, bodies } = compareBodies(seed, 40_000, false);
        expect(failure, `seed ${seed}: not found`).to.not.equal(null);
        process.stdout.write(`      found within ${bodies} bodies of seed ${seed}\n`);
      } finally {
        await removeBuild(build);
      }
    });
});
