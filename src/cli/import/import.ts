// `evalstore import`: of files of rows, or of a directory that `evalstore export` wrote.
import { stat } from 'node:fs/promises';
import { UsageError, type Context } from '../context.js';
import { importExported } from './exported/import-exported.js';
import { importFiles, type ImportOptions } from './import-files.js';

const isDirectory = async (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Options that only files of rows have. */
const ofFiles = ['experiment', 'dataset', 'logs', 'from', 'map', 'replace', 'json'] as const;

export async function runImport(
  context: Context,
  files: readonly [string, ...string[]],
  options: ImportOptions,
): Promise<void> {
  const found = await Promise.all(files.map(isDirectory));
  if (!found.includes(true)) {
    // A missing directory of an export is no file either.
    await importFiles(context, files, options);
    return;
  }
  const [directory] = files;
  if (files.length > 1)
    throw new UsageError('import one directory at a time, and no files with it');
  const option = ofFiles.find((name) => String(options[name] ?? '') !== '');
  if (option !== undefined)
    throw new UsageError(`--${option} is for files of rows, and ${directory} is a directory`);
  const { project } = options;
  await importExported(context, directory, project === undefined ? {} : { project });
}
