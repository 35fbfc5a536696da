// The program `evalstore`: its commands with their arguments and options. The code of a command is loaded when it runs.
import { Command, CommanderError, Option } from 'commander';
import { ConfigError, readConfig, type Flags } from '../config.js';
import type { KeyLimit } from '../catalog/key-draft.js';
import { flagOf, settings, type Setting } from '../settings.js';
import { serverVersion } from '../http/version.js';
import type { BackupOptions } from './backup/back-up.js';
import type { RestoreOptions } from './backup/restore.js';
import { UsageError, type Context } from './context.js';
import type { ExportOptions } from './export/export.js';
import { foreignNames } from './import/foreign/foreign-formats.js';
import { formatNames } from './import/formats/formats.js';
import type { ImportOptions } from './import/import-files.js';
import { outputFormats, type QueryOptions } from './output-format.js';
import type { PurgeOptions } from './purge.js';

/** Of the command that runs. */
let context: Context;
let exitCode = 0;

const serverOfClients = `
The server is that of EVALSTORE_URL, by default http://127.0.0.1:8000, with the key EVALSTORE_KEY; or else of BRAINTRUST_API_URL
and BRAINTRUST_API_KEY.`;

const program = new Command('evalstore')
  .description('Records, queries and compares evaluation runs and production traces.')
  .version(serverVersion.version, '--version', 'print the version')
  .helpOption('--help', 'print help')
  .helpCommand(false)
  .showHelpAfterError('Add --help for more.')
  .exitOverride()
  .configureOutput({
    writeOut: (text) => context.print(text.replace(/\n$/, '')),
    writeErr: (text) => context.note(text.replace(/\n$/, '')),
  });

function command(words: string, summary: string, description = ''): Command {
  return program
    .command(words)
    .summary(summary)
    .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}. ${description}`.trim())
    .helpOption('--help', 'print help')
    .allowExcessArguments(false);
}

const ofBuckets = `
s3://bucket/prefix is a bucket of Amazon S3, or of the service EVALSTORE_BUCKET_ENDPOINT. Credentials are in AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY, or the role of the machine.`;

const json = () => new Option('--json', 'print JSON');

const directory = [
  '[directory]',
  'the data directory; by default EVALSTORE_DATA_DIR, or else ./data',
] as const;

/** The settings of a command that works on a data directory. */
const configFor = (dataDir: string | undefined) =>
  readConfig(context.environment, dataDir === undefined ? {} : { dataDir });

const start = command(
  'start',
  'start the server, which is also what evalstore does without a command',
  'Each setting is an option or an environment variable; the option wins.',
);
/** Other users of the machine see the options of a process. */
const startSettings = Object.values<Setting>(settings).filter(({ isSecret }) => !isSecret);
for (const setting of startSettings)
  start.addOption(
    new Option(
      `${flagOf(setting)} <value>`,
      `${setting.meaning} (${setting.name}; default: ${setting.defaultText ?? String(setting.default)})`,
    ),
  );
start.action(async (flags: Flags) => {
  const { runServer } = await import('./start.js');
  await runServer(context, flags);
});

const keys = command(
  'keys',
  'manage the API keys of a data directory',
  'Stop the server first; a running server manages keys in its console and with /v1/api_key.',
);

function keysCommand(words: string, summary: string): Command {
  return keys
    .command(words)
    .description(summary)
    .helpOption('--help', 'print help')
    .allowExcessArguments(false)
    .option('--data-dir <directory>', directory[1]);
}

interface DirectoryOptions {
  readonly dataDir?: string;
  readonly json?: boolean;
}

keysCommand('list', 'print the id, creation, last use, user and name of each key')
  .addOption(json())
  .action(async ({ dataDir, json: isJson = false }: DirectoryOptions) => {
    const { listKeys, onKeys } = await import('./keys.js');
    await onKeys(configFor(dataDir), context, listKeys(isJson));
  });
keysCommand('add', 'print another key')
  .argument('[user]', 'the email address or id of a member; by default the first owner')
  .addOption(
    new Option('--scope <scope>', 'what the key may do: only read /metrics').choices(['metrics']),
  )
  .action(
    async (
      user: string | undefined,
      { dataDir, scope }: DirectoryOptions & { scope?: KeyLimit },
    ) => {
      const { addKey, onKeys } = await import('./keys.js');
      await onKeys(configFor(dataDir), context, addKey(user, scope ?? null));
    },
  );
keysCommand('revoke', 'revoke a key')
  .argument('<id>', 'the id of the key')
  .action(async (id: string, { dataDir }: DirectoryOptions) => {
    const { onKeys, revokeKey } = await import('./keys.js');
    await onKeys(configFor(dataDir), context, revokeKey(id));
  });
keysCommand('organization', 'add an organisation of the first owner')
  .argument('<name>', 'the name of the organisation')
  .action(async (name: string, { dataDir }: DirectoryOptions) => {
    const { addOrganization, onKeys } = await import('./keys.js');
    await onKeys(configFor(dataDir), context, addOrganization(name));
  });

command('stats', 'print the state and the sizes of a server')
  .addOption(json())
  .addHelpText('after', serverOfClients)
  .action(async (options: { readonly json?: boolean }) => {
    const { printStats } = await import('./stats.js');
    await printStats(context, options.json === true);
  });

command('query', 'run a query and print its rows')
  .argument('<text>', 'the query; - for standard input')
  .addOption(
    new Option('--format <format>', 'how to print the rows')
      .choices(Object.keys(outputFormats))
      .default('table'),
  )
  .addOption(new Option('--json', 'the same as --format json').implies({ format: 'json' }))
  .option('--out <file>', 'write to this file instead of standard output')
  .addHelpText('after', serverOfClients)
  .action(async (text: string, options: QueryOptions) => {
    const { printQuery } = await import('./query.js');
    await printQuery(context, text, options);
  });

command(
  'export',
  'write a project, or the rows of a query, to a directory of files',
  'Everything is read at one version. The same command goes on after a kill.',
)
  .option('--project <name>', 'a project with everything in it, for evalstore import')
  .option('--query <text>', 'the rows of this query')
  .requiredOption('--to <directory>', 'an empty or a new directory')
  .addOption(
    new Option('--format <format>', 'the format of the files of rows')
      .choices(['parquet', 'jsonl'])
      .default('parquet'),
  )
  .addHelpText('after', serverOfClients)
  .action(async (options: ExportOptions) => {
    const { runExport } = await import('./export/export.js');
    await runExport(context, options);
  });

command(
  'import',
  'import files of rows, or a directory that evalstore export wrote',
  'Rows go to the logs, an experiment or a dataset; what is missing is created. A directory makes a new project. The same command goes on after a kill, and twice changes nothing.',
)
  .argument('<file...>', 'files, - for standard input; or one directory')
  .option(
    '--project <name>',
    'the project; of a directory the new one, by default that of the export',
  )
  .option('--experiment <name>', 'add the rows to this experiment')
  .option('--dataset <name>', 'add the rows to this dataset')
  .option('--logs', 'add the rows to the logs of the project')
  .addOption(
    new Option(
      '--from <format>',
      'the format of the files, or the tool that they are from; by default a format follows from name and content',
    ).choices([...formatNames, ...foreignNames]),
  )
  .option(
    '--map <field=column>',
    'take a field, such as input or metadata.model, from this column; once for each field',
    (entry: string, entries: readonly string[]) => [...entries, entry],
    [],
  )
  .option('--replace', 'write rows that are there again, instead of skipping them')
  .addOption(json())
  .addHelpText('after', serverOfClients)
  .action(async (files: readonly [string, ...string[]], options: ImportOptions) => {
    const { runImport } = await import('./import/import.js');
    await runImport(context, files, options);
  });

command(
  'purge',
  'remove events for good, with all their versions, feedback and attachments',
  'Waits until they are in no file any more. Backups and exports keep what they have.',
)
  .option('--project <name>', 'the project of the events')
  .option('--experiment <name>', 'events of this experiment')
  .option('--dataset <name>', 'events of this dataset')
  .option('--logs', 'events of the logs of the project')
  .option('--filter <condition>', "those that pass this condition, as metadata.user = 'ann'")
  .option(
    '--id <id>',
    'the event with this id; once for each event',
    (id: string, ids: readonly string[]) => [...ids, id],
    [],
  )
  .addOption(json())
  .addHelpText('after', serverOfClients)
  .action(async (options: PurgeOptions) => {
    const { purge } = await import('./purge.js');
    await purge(context, options);
  });

command('demo', 'log an evaluation to a server, and print a query and the summaries of it')
  .argument(
    '[file]',
    'the example_model_solutions.jsonl of grade-school-math; without it, a small sample',
  )
  .addHelpText('after', serverOfClients)
  .action(async (file: string | undefined) => {
    const { runDemo } = await import('./demo/demo.js');
    await runDemo(context, file);
  });

command(
  'backup',
  'back up a data directory, also beside its running server',
  'Copies only files that the backups in the target lack.',
)
  .argument('<target>', 'the directory of the backups, or s3://bucket/prefix')
  .option('--data-dir <directory>', directory[1])
  .option('--keep <number>', 'remove all but this many of the newest backups')
  .addOption(json())
  .addHelpText('after', ofBuckets)
  .action(async (target: string, options: BackupOptions) => {
    const { backUp } = await import('./backup/back-up.js');
    await backUp(configFor(options.dataDir), context, target, options);
  });

command('restore', 'fill an empty directory from a backup, and verify it')
  .argument('<backup>', 'the directory of the backups, or s3://bucket/prefix')
  .argument('[directory]', 'an empty or a new directory')
  .option('--at <transaction>', 'the backup of this transaction; by default the newest')
  .option('--list', 'list the backups instead')
  .addOption(json())
  .addHelpText('after', ofBuckets)
  .action(async (backup: string, dataDir: string | undefined, options: RestoreOptions) => {
    const { listBackups, restore } = await import('./backup/restore.js');
    if (options.list === true)
      await listBackups(configFor(dataDir), context, backup, options.json === true);
    else exitCode = await restore(configFor(dataDir), context, backup, dataDir, options);
  });

command('check', 'verify a data directory, and change nothing', 'Stop the server first.')
  .argument(...directory)
  .addOption(json())
  .action(async (dataDir: string | undefined, options: { readonly json?: boolean }) => {
    const { checkDirectory } = await import('./check.js');
    exitCode = await checkDirectory(configFor(dataDir), context, options.json === true);
  });

command(
  'repair',
  'make a new meta.duckdb from the segments and logs of a data directory',
  'Keeps the old files under other names, and prints what is lost. Stop the server first.',
)
  .argument(...directory)
  .action(async (dataDir: string | undefined) => {
    const { repairDirectory } = await import('./repair.js');
    await repairDirectory(configFor(dataDir), context);
  });

/** Runs one command at a time. Returns its exit code: 0 done, 1 refused or failed, 2 wrong use. */
export async function run(words: readonly string[], given: Context): Promise<number> {
  [context, exitCode] = [given, 0];
  const [first = ''] = words;
  /** Without a command, the options are those of `start`. */
  const isStart =
    first === '' || (first.startsWith('-') && !['--help', '--version'].includes(first));
  try {
    await program.parseAsync(isStart ? ['start', ...words] : words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    context.note(error instanceof Error ? error.message : String(error));
    return error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
  }
}
