// The pages of the manual show what really happens.
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';
import { manualPages, runSessions, sessionsOf, versionsTable, withoutChance } from './readme.js';

/** Blocks that are no code of Evalstore, or that need the root of a machine, Docker or a proxy. */
const others = new Set(['', 'output', 'ini', 'nginx', 'yaml', 'sh operator']);

/** Blocks that a test runs. */
const run = /^(?:sh session|sh operation \w+|sql|(?:js|python|sh) [\w-]+\.?\w*)$/;

describe('pages of the manual', () => {
  const server = sharedServer();

  for (const [file, page] of manualPages)
    it(`show the real output of the sessions of ${file}`, async () => {
      const sessions = sessionsOf(page);
      const outputs = await runSessions(sessions, {
        EVALSTORE_URL: server().url,
        EVALSTORE_KEY: server().key,
      });
      expect(outputs.map(withoutChance)).to.deep.equal(
        sessions.map(({ output }) => withoutChance(output)),
      );
    });

  it('list every package for Python that the tests run, with its versions', () => {
    expect(manualPages.get('src/manual/python.md')).to.include(versionsTable());
  });

  it('have no code that nothing runs', () => {
    for (const [file, page] of manualPages) {
      const blocks = page.matchAll(/^```([^\n]*)\n[\s\S]*?^```$/gm);
      const kinds = Array.from(blocks, ([, kind = '']) => kind).filter((kind) => !others.has(kind));
      for (const kind of kinds) expect(kind, file).to.match(run);
    }
  });
});
