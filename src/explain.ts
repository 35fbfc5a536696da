// `npm run explain -- [--use-columnstore] [--analyze] '<query>'`: prints the result of each compiler stage, and the reads of the
// query in the data directory.
import { parseArgs } from 'node:util';
import { runProgram } from './command-line.js';
import { readConfig } from './config.js';
import { hasData, openDirectory } from './explain/data-directory.js';
import { reading } from './explain/reading.js';
import { stages, withoutData } from './explain/stages.js';
import { parseQuery } from './query/syntax/parse.js';

const usage = `usage: npm run explain -- [--use-columnstore] [--analyze] 'QUERY'

Prints each step from the text of the query to SQL and, from the data directory EVALSTORE_DATA_DIR (default ./data), the files and
columns that the query reads and the plan of the engine. Stop the server first.
  --use-columnstore  says what the field use_columnstore of a request does
  --analyze          also runs the query and prints the time of each operator of the plan`;

await runProgram({
  usage,
  run: async (args) => {
    const { values: options, positionals } = parseArgs({
      args: [...args],
      options: { 'use-columnstore': { type: 'boolean' }, analyze: { type: 'boolean' } },
      allowPositionals: true,
    });
    if (positionals.length === 0) throw new Error(usage);
    const text = positionals.join(' ');
    const config = readConfig(process.env);
    const ast = parseQuery(text);
    process.stdout.write(stages(text, ast, options['use-columnstore'] === true));
    if (!hasData(config.dataDir)) {
      process.stdout.write(withoutData(ast, config.dataDir));
      return;
    }
    const directory = await openDirectory(config);
    try {
      process.stdout.write(await reading(directory, ast, config.dataDir, options.analyze === true));
    } finally {
      await directory.close();
    }
  },
});
