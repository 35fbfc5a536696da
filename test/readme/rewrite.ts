// node dist/test/readme/rewrite.js: runs the sessions of the manual and the examples of the language reference, and writes
// their output, and the tables of settings, limits and versions, into the pages.
import { writeFile } from 'node:fs/promises';
import { startServer, type TestServer } from '../support/start-server.js';
import {
  languagePages,
  manualPages,
  runSessions,
  sessionsOf,
  withOutputs,
  withTables,
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
  for (const [file, page] of manualPages) {
    const outputs = await runSessions(sessionsOf(page), environmentOf(server));
    await writeFile(file, withTables(withOutputs(page, outputs)));
  }
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
