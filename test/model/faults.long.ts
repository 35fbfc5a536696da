// Proof that the differential test sees: each fault, planted into a copy of the built server, is found
// within 100 histories.
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type * as support from '../support/start-server.js';
import { explore, settings } from './explore.js';
import { faults, type Fault } from './faults.js';
import { newSeed } from '../support/seed.js';

type Support = Pick<typeof support, 'startServer'>;

const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** Everything that the server needs to run from there. */
async function copyBuild(to: string): Promise<void> {
  for (const part of ['package.json', 'dist/src', 'dist/test/support'])
    await cp(path.join(projectRoot, part), path.join(to, part), { recursive: true });
  await symlink(path.join(projectRoot, 'node_modules'), path.join(to, 'node_modules'));
}

/** Returns what takes the fault out again. */
async function plant(build: string, { file, from, to }: Fault): Promise<() => Promise<void>> {
  const target = path.join(build, 'dist/src', file);
  const text = await readFile(target, 'utf8');
  if (text.split(from).length !== 2)
    throw new Error(`${file}: expected to find ${from} once, so that a fault can be planted`);
  await writeFile(
    target,
    text.replace(from, () => to),
  );
  return () => writeFile(target, text);
}

describe('the differential test finds', () => {
  let build: string;

  before(async () => {
    build = await mkdtemp(path.join(tmpdir(), 'evalstore-faults-'));
    await copyBuild(build);
  });

  after(() => rm(build, { recursive: true, force: true }));

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
