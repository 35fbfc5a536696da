// The parts of pages that are made by running something: sessions with their output, the tables of settings and limits.
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { settings } from '../../src/settings.js';
import { limits } from '../../src/schema/limits.js';
import { commandVariables } from '../support/commands.js';

const run = promisify(execFile);

const pagesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

const textsOf = (files: readonly string[]): ReadonlyMap<string, string> =>
  new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

/** The Markdown of the pages of the manual, by file. */
export const manualPages = textsOf(pagesIn('src/manual'));

/** The Markdown of the pages of the query language, by file; first the one that stores the data of the others. */
export const languagePages = textsOf([
  ...new Set(['grammar/reference/data.md', 'grammar/README.md', ...pagesIn('grammar/reference')]),
]);

interface Session {
  readonly commands: string;
  readonly output: string;
}

const sessionPattern = /```sh session\n([\s\S]*?)```\n\n```output\n([\s\S]*?)```/g;

export const sessionsOf = (readme: string): readonly Session[] =>
  [...readme.matchAll(sessionPattern)].map(([, commands = '', output = '']) => ({
    commands,
    output,
  }));

export interface Program {
  readonly text: string;
  /** What the page says that it prints; null if it says nothing. */
  readonly output: string | null;
}

const programPattern =
  /```(?:js|python|sh) (?!session)(\S+)\n([\s\S]*?)```(?:\n\n```output\n([\s\S]*?)```)?/g;

/** The programs that a page shows, by the names of their files. */
export const programsOf = (page: string): ReadonlyMap<string, Program> =>
  new Map(
    Array.from(page.matchAll(programPattern), ([, name = '', text = '', output]) => [
      name,
      { text, output: output ?? null },
    ]),
  );

const separator = '@@ next @@';

/** Runs all sessions in one shell, as a reader would, and gives the output of each. */
export async function runSessions(
  sessions: readonly Session[],
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const script = sessions.map(({ commands }) => `${commands}echo; echo '${separator}'`).join('\n');
  const { stdout } = await run('bash', ['--norc', '-euc', script], {
    env: { ...commandVariables(), ...environment },
  });
  return stdout
    .split(`${separator}\n`)
    .slice(0, -1)
    .map((output) => `${output.trim()}\n`);
}

/** The page with these outputs. */
export function withOutputs(readme: string, outputs: readonly string[]): string {
  let next = 0;
  return readme.replaceAll(
    sessionPattern,
    (_, commands: string) =>
      `\`\`\`sh session\n${commands}\`\`\`\n\n\`\`\`output\n${outputs[next++]}\`\`\``,
  );
}

/** What differs from run to run, by a name. */
export const withoutChance = (output: string): string =>
  output
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/"cursor":"[^"]+"/g, '"cursor":"CURSOR"')
    .replaceAll(/"\d{19}"/g, '"XACT"')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'URL')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

const defaultOf = (setting: { default: unknown; defaultText?: string }) =>
  setting.defaultText ?? `\`${String(setting.default)}\``;

export const settingsTable = (): string =>
  [
    '| Variable | Default | Meaning |',
    '| --- | --- | --- |',
    ...Object.values(settings).map(
      (setting) => `| \`${setting.name}\` | ${defaultOf(setting)} | ${setting.meaning} |`,
    ),
  ].join('\n');

export const limitsTable = (): string =>
  [
    '| Limit | Applies to |',
    '| --- | --- |',
    ...Object.values(limits).map(
      ({ max, meaning }) => `| ${max.toLocaleString('en')} | ${meaning} |`,
    ),
  ].join('\n');

const environments = 'test/clients/python/environments';

const linesOf = (file: string): readonly string[] =>
  readFileSync(path.join(environments, file), 'utf8').split('\n');

/** The packages that an environment is for, without what these need, and their versions. */
function versionsIn(name: string): readonly (readonly [string, string])[] {
  const pinned = new Map(
    linesOf(`${name}.txt`).map((line) => line.split(/[=; ]+/) as [string, string]),
  );
  return linesOf(`${name}.in`)
    .map((line) => /^[\w-]*/.exec(line)![0])
    .filter((found) => found !== '')
    .map((found) => [found, pinned.get(found)!]);
}

/** The packages for Python that the tests run, with their versions. */
export function versionsTable(): string {
  const versions = new Map<string, Set<string>>();
  const names = readdirSync(environments).filter((file) => file.endsWith('.in'));
  for (const [name, version] of names.flatMap((file) => versionsIn(path.basename(file, '.in'))))
    versions.set(name, (versions.get(name) ?? new Set()).add(version));
  const lines = [...versions]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, found]) => `| \`${name}\` | ${[...found].toSorted().join(', ')} |`);
  return ['| Package | Versions |', '| --- | --- |', ...lines].join('\n');
}

/** Tables that are made from the code, by their marks in a page. */
const tables: Readonly<Record<string, () => string>> = {
  settings: settingsTable,
  limits: limitsTable,
  versions: versionsTable,
};

export const withTables = (page: string): string =>
  page.replaceAll(
    /(<!-- (\w+) -->\n)[\s\S]*?(<!-- \/\2 -->)/g,
    (marked, start: string, name: string, end: string) =>
      name in tables ? `${start}\n${tables[name]!()}\n\n${end}` : marked,
  );
