// `npm run explain -- [--use-columnstore] [--analyze] '<query>'`: prints the result of each compiler stage, and the reads of the
// query in the data directory.
import { parseArgs } from 'node:util';
import { readConfig } from './config.js';
import { hasData, openDirectory } from './explain/data-directory.js';
import { reading } from './explain/reading.js';
import { stages, withoutData } from './explain/stages.js';
import { parseQuery } from './query/syntax/parse.js';

try {
  const { values: options, positionals } = parseArgs({
    options: { 'use-columnstore': { type: 'boolean' }, analyze: { type: 'boolean' } },
    allowPositionals: true,
  });
  const text = positionals.join(' ');
  const config = readConfig(process.env);
  const ast = parseQuery(text);
  process.stdout.write(stages(text, ast, options['use-columnstore'] === true));
  if (hasData(config.dataDir)) {
    const directory = await openDirectory(config);
    try {
      process.stdout.write(await reading(directory, ast, config.dataDir, options.analyze === true));
    } finally {
      await directory.close();
    }
  } else process.stdout.write(withoutData(ast, config.dataDir));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
