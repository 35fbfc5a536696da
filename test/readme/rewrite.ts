// npm run readme: runs the sessions of the README and writes their output and the settings table into it.
import { readFile, writeFile } from 'node:fs/promises';
import { startServer } from '../support/start-server.js';
import { runSessions, sessionsOf, withOutputs, withSettingsTable } from './readme.js';

const readme = await readFile('README.md', 'utf8');
const server = await startServer({ environment: { EVALSTORE_PORT: '8000' } });
try {
  const environment = { EVALSTORE_URL: server.url, EVALSTORE_API_KEY: server.key };
  const outputs = await runSessions(sessionsOf(readme), environment);
  await writeFile('README.md', withSettingsTable(withOutputs(readme, outputs)));
} finally {
  await server.stop();
}
