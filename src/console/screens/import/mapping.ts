// Maps the columns of a file to the fields of a record.
import { elementsOf, plainText, type RawRow } from '../../json/scan.js';
import { usualField, type RecordField } from './column-names.js';
import type { FileTable } from './table.js';

export const targets = [
  'id',
  'input',
  'expected',
  'metadata',
  'tags',
  'ignore',
] as const satisfies readonly (RecordField | 'ignore')[];

export type Target = (typeof targets)[number];

/** Fields by column name. */
export type Mapping = ReadonlyMap<string, Target>;

/** The columns of our exports other than the content of records, and the index that pandas writes. */
const ignored = /^(_xact_id|created|_pagination_key|Unnamed: \d+|__index_level_\d+__|)$/;

export const defaultMapping = ({ columns }: FileTable): Mapping =>
  new Map(
    columns.map((name) => [name, ignored.test(name) ? 'ignore' : (usualField(name) ?? 'metadata')]),
  );

const namesFor = (mapping: Mapping, target: Target): readonly string[] =>
  [...mapping].filter(([, to]) => to === target).map(([name]) => name);

const memberText = (name: string, raw: string): string => `${JSON.stringify(name)}:${raw}`;

const objectOf = (row: RawRow, names: readonly string[]): string | null => {
  const members = names.flatMap((name) => {
    const raw = row.get(name);
    return raw === undefined ? [] : [memberText(name, raw)];
  });
  return members.length === 0 ? null : `{${members.join(',')}}`;
};

/** The value of one column, or an object of several. */
function valueOf(row: RawRow, names: readonly string[]): string | null {
  const [name, ...others] = names;
  if (name === undefined) return null;
  return others.length === 0 ? (row.get(name) ?? null) : objectOf(row, names);
}

/** The members of a column `metadata` with an object or null, and other columns as members. */
function metadataOf(row: RawRow, names: readonly string[]): string | null {
  const whole = names.includes('metadata') ? (row.get('metadata') ?? 'null') : 'null';
  const isObject = whole.startsWith('{');
  const members = objectOf(
    row,
    names.filter((name) => name !== 'metadata' || !(isObject || whole === 'null')),
  );
  if (!isObject) return members;
  const inside = whole.slice(1, -1).trim();
  const added = members === null ? '' : members.slice(1, -1);
  return `{${[inside, added].filter((part) => part !== '').join(',')}}`;
}

/** The tags of an array, of a comma-separated text or of one other value. A tag that is no text becomes one. */
function tagsOf(row: RawRow, names: readonly string[]): string | null {
  const raw = valueOf(row, names) ?? 'null';
  if (raw === 'null') return null;
  const texts = raw.startsWith('[')
    ? elementsOf(raw)
        .filter((element) => element !== 'null')
        .map(plainText)
    : raw.startsWith('"')
      ? plainText(raw).split(',')
      : [raw];
  return JSON.stringify(texts.map((tag) => tag.trim()).filter((tag) => tag !== ''));
}

/** 53 bits of a text (cyrb53, public domain). */
function hash(text: string, seed: number): number {
  let [high, low] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

/** An id derived from the content, so that a second import of a file adds nothing. */
const contentId = (text: string): string =>
  [1, 2].map((seed) => hash(text, seed).toString(16).padStart(14, '0')).join('');

/** The event that stores the record. */
export function recordOf(row: RawRow, mapping: Mapping): RawRow {
  const of = (target: Target) => namesFor(mapping, target);
  const fields = [
    ['input', valueOf(row, of('input'))],
    ['expected', valueOf(row, of('expected'))],
    ['metadata', metadataOf(row, of('metadata'))],
    ['tags', tagsOf(row, of('tags'))],
  ] as const;
  const given = fields.filter((field): field is [(typeof field)[0], string] => field[1] !== null);
  const raw = valueOf(row, of('id')) ?? 'null';
  const id = raw === 'null' ? '' : plainText(raw);
  const content = given.map(([name, text]) => name + text).join('\n');
  return new Map([['id', JSON.stringify(id === '' ? contentId(content) : id)], ...given]);
}
