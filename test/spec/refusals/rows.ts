// Rows of a table of refusals:
//
//   # what the rows below have in common
//   POST /v1/project
//   {"name":""}
//   400 name: expected a non-empty string, got ""
//
// A request is followed by what is sent to it, each body before the answer, a status and a sentence; an answer without a
// body is that to none. Headers follow the request; `Authorization: none` sends no key. `<project>` is the id of an
// object; `<events>` is each of the objects that hold events, in rows of their own; `<3×ab>` is ababab.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Row {
  readonly file: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly status: number;
  readonly sentence: string;
}

const folder = fileURLToPath(new URL('../../../../test/spec/refusals/', import.meta.url));

/** What `<name>` stands for in turn. */
const families: Readonly<Record<string, readonly string[]>> = {
  kind: ['project', 'experiment', 'dataset', 'dataset_snapshot', 'prompt', 'function', 'role'],
  events: ['project_logs/<project>', 'experiment/<experiment>', 'dataset/<dataset>'],
  spans: ['project_logs/<project>', 'experiment/<experiment>'],
};

const withRepeats = (text: string): string =>
  text.replaceAll(/«(\d+)×(.*?)»/g, (_, count: string, unit: string) => unit.repeat(Number(count)));

/** The same with one repetition fewer. */
export const oneLess = (text: string): string =>
  text.replaceAll(/«(\d+)×/g, (_, count: string) => `«${Number(count) - 1}×`);

/** The row, or one for each member of the family that it names. */
function spread(row: Row): readonly Row[] {
  const text = JSON.stringify(row);
  const family = Object.keys(families).find((name) => text.includes(`<${name}>`));
  if (family === undefined) return [row];
  return families[family]!.map((each) => JSON.parse(text.replaceAll(`<${family}>`, each)) as Row);
}

function rowsOf(file: string): readonly Row[] {
  const rows: Row[] = [];
  let request = { file, method: '', path: '', headers: {} };
  let body: string | undefined;
  for (const line of readFileSync(folder + file, 'utf8').split('\n')) {
    const [, method, path] = /^([A-Z]+) (\/.*)$/.exec(line) ?? [];
    const [, name, value] = /^([A-Z][\w-]+): (.*)$/.exec(line) ?? [];
    const [, status, sentence] = /^(4\d\d) (.*)$/.exec(line) ?? [];
    if (method !== undefined) {
      request = { file, method, path: path!, headers: {} };
      body = undefined;
    } else if (name !== undefined) {
      request = { ...request, headers: { ...request.headers, [name]: value! } };
    } else if (status !== undefined) {
      rows.push({ ...request, body, status: Number(status), sentence: sentence! });
    } else if (line !== '' && !line.startsWith('#')) body = line;
  }
  return rows;
}

/** Of all files of the table. */
export const rows: readonly Row[] = readdirSync(folder)
  .filter((file) => file.endsWith('.txt'))
  .flatMap(rowsOf)
  .flatMap(spread);

/** The text with ids in place of the names of objects. */
export const filled = (text: string, ids: Readonly<Record<string, string>>): string =>
  withRepeats(text.replaceAll(/<(\w+)>/g, (whole, name: string) => ids[name] ?? whole));
