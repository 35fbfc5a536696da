// `node dist/test/query/golden-cli.js`: compares the transcripts; with `--rewrite` writes SQL, parameters, warnings and
// errors anew. Rows that a case already has are what the language means, and are never rewritten.
import { openEngine } from './fixture.js';
import { laidOut } from './golden-sql.js';
import { actualSections, goldenFiles, readGolden, rewritten, writeGolden } from './golden-file.js';

const rewrite = process.argv.includes('--rewrite');
const engine = await openEngine();
for (const file of goldenFiles()) {
  const written = [];
  for (const golden of readGolden(file)) {
    const actual = await actualSections(golden, engine);
    const rows = golden.sections.get('rows');
    if (rows !== undefined && rows !== actual.get('rows')) {
      process.stderr.write(
        `${file}, ${golden.name}: rows differ:\n${actual.get('rows') ?? actual.get('error')}\n`,
      );
      process.exitCode = 1;
    }
    const text = actual.get('sql');
    const shown = text === undefined ? actual : new Map([...actual, ['sql', laidOut(text)]]);
    written.push(rewritten(golden, shown));
  }
  if (rewrite) writeGolden(file, written);
}
await engine.close();
