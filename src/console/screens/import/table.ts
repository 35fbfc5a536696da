// Reads files of records as rows of JSON text: JSON Lines, a JSON array, CSV, Parquet. Detects the format from the content.
import { elementsOf, membersOf, type RawRow } from '../../json/scan.js';
import { usualField } from './column-names.js';
import { jsonOf } from './json-of.js';

export interface FileTable {
  readonly format: 'JSON Lines' | 'JSON' | 'CSV' | 'Parquet';
  /** The names of all columns, in order of first occurrence. */
  readonly columns: readonly string[];
  readonly rows: readonly RawRow[];
}

/** The error for an invalid file. */
class UnreadableFile extends Error {}

const columnsOf = (rows: readonly RawRow[]): readonly string[] => [
  ...new Set(rows.flatMap((row) => [...row.keys()])),
];

/** Checks that the text is a JSON object, and returns the text. */
function objectRow(text: string, place: string): RawRow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnreadableFile(`${place} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableFile(`${place} is not a JSON object.`);
  return membersOf(text);
}

function jsonRows(text: string): readonly RawRow[] {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new UnreadableFile(`The file is not JSON: ${(error as Error).message}`);
  }
  return elementsOf(text).map((one, index) => objectRow(one, `Element ${index + 1}`));
}

/** The names under which answers of servers have their rows. */
const containers = ['data', 'rows', 'records', 'events', 'examples'];

/** The rows of a file that is one object: the elements of its only member with an array of objects, as in an answer, or the object itself. */
function documentRows(text: string): readonly RawRow[] {
  const object = objectRow(text, 'The file');
  const [rows, ...others] = containers.flatMap((name) => {
    const raw = object.get(name);
    return raw !== undefined && /^\[\s*\{/.test(raw) ? [raw] : [];
  });
  const isRecord = [...object.keys()].some((name) => usualField(name) !== undefined);
  return rows === undefined || others.length > 0 || isRecord ? [object] : jsonRows(rows);
}

const lineRows = (text: string): readonly RawRow[] =>
  text
    .split(/\r?\n/)
    .flatMap((line, index) =>
      line.trim() === '' ? [] : [objectRow(line.trim(), `Line ${index + 1}`)],
    );

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** The cells of a row by column; those that are texts may hold JSON. */
type Cells = ReadonlyMap<string, unknown>;

const isContainerText = (text: string): boolean => /^\s*[[{]/.test(text);

/** Whether a column holds JSON only. Our exports write values of several types so, and texts alone as they are. */
function isJsonColumn(rows: readonly Cells[], name: string): boolean {
  const texts = rows.map((row) => row.get(name)).filter((value) => typeof value === 'string');
  const strings = texts.filter((text) => text.startsWith('"')).length;
  const isMixed = strings > 0 ? strings < texts.length : texts.some(isContainerText);
  return isMixed && texts.every(isJson);
}

/** In other columns, objects and arrays are JSON, and the rest is text. */
const cellJson = (text: string, isInJson: boolean): string =>
  isInJson || (isContainerText(text) && isJson(text)) ? text.trim() : JSON.stringify(text);

function rawRowsOf(rows: readonly Cells[]): readonly RawRow[] {
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const json = new Set(names.filter((name) => isJsonColumn(rows, name)));
  const rawOf = (name: string, value: unknown) =>
    typeof value === 'string' ? cellJson(value, json.has(name)) : jsonOf(value);
  return rows.map((row) => new Map([...row].map(([name, value]) => [name, rawOf(name, value)])));
}

/** Checks that each cell has a column of its own name. */
function checkCells([head = [], ...rows]: readonly (readonly string[])[]): void {
  const twice = head.find((name, index) => name !== '' && head.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UnreadableFile(`The CSV has two columns with the name “${twice}”.`);
  const long = rows.findIndex((cells) => cells.slice(head.length).some((cell) => cell !== ''));
  if (long !== -1)
    throw new UnreadableFile(
      `Row ${long + 2} of the CSV has more cells than the first row has columns. A text that contains the separator needs quotes.`,
    );
}

/** The separator that the first line names, as spreadsheet programs write it, and the text without this line. */
function separatorOf(text: string): { readonly delimiter: string; readonly rest: string } {
  const [line = '', delimiter = ''] = /^"?sep=(.)"?\r?\n/i.exec(text) ?? [];
  return { delimiter, rest: text.slice(line.length) };
}

async function csvRows(text: string): Promise<readonly RawRow[]> {
  const { default: papa } = await import('papaparse');
  const { delimiter, rest } = separatorOf(text);
  const parsed = papa.parse<string[]>(rest, { delimiter, skipEmptyLines: 'greedy' });
  const [names = [], ...cells] = parsed.data;
  const data = [names.map((name) => name.trim()), ...cells];
  const { errors } = parsed;
  const problem = errors.find(({ type }) => type === 'Quotes');
  if (problem !== undefined)
    throw new UnreadableFile(`Row ${(problem.row ?? 0) + 1} of the CSV: ${problem.message}`);
  checkCells(data);
  const [head = [], ...rows] = data;
  return rawRowsOf(
    rows.map(
      (cells) =>
        new Map(
          head.flatMap((name, index) => {
            const cell = cells[index];
            return cell === undefined || cell === '' ? [] : [[name, cell] as const];
          }),
        ),
    ),
  );
}

async function parquetRows(file: ArrayBuffer): Promise<readonly RawRow[]> {
  const { readParquet } = await import('./parquet.js');
  const rows = await readParquet(file);
  return rawRowsOf(
    rows.map(
      (row) => new Map([...row].filter(([, value]) => value !== null && value !== undefined)),
    ),
  );
}

const isParquet = (bytes: ArrayBuffer): boolean =>
  new TextDecoder('latin1').decode(bytes.slice(0, 4)) === 'PAR1';

/** The text of the file. A wrong encoding would change it silently. */
function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile('The file is not text in UTF-8. Save it in this encoding.');
  }
}

/** @throws UnreadableFile */
export async function readTable(bytes: ArrayBuffer): Promise<FileTable> {
  const table = (format: FileTable['format'], rows: readonly RawRow[]): FileTable => {
    if (rows.length === 0) throw new UnreadableFile('There is no record to import.');
    return { format, columns: columnsOf(rows), rows };
  };
  if (isParquet(bytes)) {
    let rows: readonly RawRow[];
    try {
      rows = await parquetRows(bytes);
    } catch (error) {
      throw new UnreadableFile(`The Parquet file cannot be read: ${(error as Error).message}`);
    }
    return table('Parquet', rows);
  }
  const text = textOf(bytes);
  const first = text.trimStart()[0];
  if (first === '[') return table('JSON', jsonRows(text));
  if (first === '{' && isJson(text)) return table('JSON', documentRows(text.trim()));
  if (first === '{') return table('JSON Lines', lineRows(text));
  return table('CSV', await csvRows(text));
}
