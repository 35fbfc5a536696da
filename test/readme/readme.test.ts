// The README shows what really happens.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { sharedServer } from '../support/start-server.js';
import { runSessions, limitsTable, sessionsOf, settingsTable, withoutChance } from './readme.js';

const readme = readFileSync('README.md', 'utf8');

describe('README', () => {
  const server = sharedServer();

  it('shows the real output of its first session', async () => {
    const sessions = sessionsOf(readme);
    expect(sessions).to.have.length.of.at.least(4);
    const outputs = await runSessions(sessions, {
      EVALSTORE_URL: server().url,
      EVALSTORE_KEY: server().key,
    });
    expect(outputs.map(withoutChance)).to.deep.equal(
      sessions.map(({ output }) => withoutChance(output)),
    );
  });

  it('lists every setting', () => {
    expect(readme).to.include(settingsTable());
  });

  it('lists every limit of a request', () => {
    expect(readme).to.include(limitsTable());
  });
});
