// node dist/test/readme/rewrite.js: runs the sessions of the README and the examples of the language reference, and writes
// their output, and the tables of settings, limits and versions, into the pages.
import { readFile, writeFile } from 'node:fs/promises';
import { startServer, type TestServer } from '../support/start-server.js';
import {
  languagePages,
  runSessions,
  sessionsOf,
  withLimitsTable,
  withOutputs,
  withSettingsTable,
  withVersionsTable,
} from './readme.js';
import { examplesOf, runExamples, variablesOf, withExamples } from './reference.js';

const environmentOf = ({ url, key }: TestServer) => ({
  EVALSTORE_URL: url,
  EVALSTORE_KEY: key,
});

async function withServer(work: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer({ environment: { EVALSTORE_PORT: '8000' } });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

await withServer(async (server) => {
  const readme = await readFile('README.md', 'utf8');
  const outputs = await runSessions(sessionsOf(readme), environmentOf(server));
  await writeFile('README.md', withLimitsTable(withSettingsTable(withOutputs(readme, outputs))));
});

const pageEnd = '\f';

await withServer(async (server) => {
  // One text, since the pages use the variables of the first one.
  const reference = [...languagePages.values()].join(pageEnd);
  const outputs = await runSessions(sessionsOf(reference), environmentOf(server));
  const examples = await runExamples(examplesOf(reference), server, variablesOf(outputs));
  const texts = withExamples(withOutputs(reference, outputs), examples).split(pageEnd);
  for (const [index, file] of [...languagePages.keys()].entries())
    await writeFile(file, texts[index]!);
});

const python = 'src/manual/python.md';
await writeFile(python, withVersionsTable(await readFile(python, 'utf8')));
