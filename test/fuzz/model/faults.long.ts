// Proof that the differential test sees: each fault, planted into a copy of the built server, is found
// within 100 histories.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type * as support from '../../support/start-server.js';
import { explore, settings } from './explore.js';
import { copyBuild, plant, removeBuild } from '../../support/planted.js';
import { newSeed } from '../../support/seed.js';
import { faults } from './faults.js';

type Support = Pick<typeof support, 'startServer'>;

describe('the differential test finds', () => {
  let build: string;

  before(async () => {
    build = await copyBuild(['dist/src', 'dist/manual', 'dist/test/support']);
  });

  after(() => removeBuild(build));

  for (const fault of faults)
    it(`${fault.name}, within 100 histories`, async () => {
      const restore = await plant(build, fault);
      const module = path.join(build, 'dist/test/support/start-server.js');
      const { startServer } = (await import(pathToFileURL(module).href)) as Support;
      const setting = settings.find(({ name }) => name === fault.setting) ?? settings[0];
      const server = await startServer({ tuning: {}, ...setting?.server });
      try {
        const seed = newSeed();
        const { fillerRows = 0, buffers = false } = setting ?? {};
        const settles = !buffers;
        const plan = { seed, histories: 100, lanes: 1, isReduced: false, fillerRows, settles };
        const { failure, histories } = await explore(server, plan);
        expect(failure, `seed ${seed}: not found`).to.not.equal(null);
        process.stdout.write(`      found in history ${histories} of seed ${seed}\n`);
      } finally {
        await server.stop();
        await restore();
      }
    });
});
