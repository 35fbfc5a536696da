// The fields of dataset records, and their creation from spans.
import { indented } from '../../json/lines.js';
import { objectText, plainText, type RawRow } from '../../json/scan.js';
import type { Source } from '../../server/clauses.js';
import { idOf, insertInBatches, rowsById } from '../../server/rows.js';
import { sessionSignal } from '../../server/session.js';

/** The editable fields of a record. */
export const recordFields = ['input', 'expected', 'metadata', 'tags'] as const;

export type RecordField = (typeof recordFields)[number];

/** The content of a record as JSON. */
export const contentOf = (row: RawRow): string =>
  indented(objectText(new Map(recordFields.map((name) => [name, row.get(name) ?? 'null']))));

/**
 * The event that changes only the given fields of a record. A plain insert would replace its span fields, too.
 * @param isMerge whether objects in the fields keep their other members
 */
export const changeOf = (id: string, fields: RawRow, isMerge: boolean): RawRow =>
  new Map([
    ['id', id],
    ['_is_merge', 'true'],
    ['_merge_paths', JSON.stringify(isMerge ? [] : [...fields.keys()].map((name) => [name]))],
    ...fields,
  ]);

/**
 * Reads a record before it is changed.
 * @throws Error if it was deleted: a change of some fields would create a record without the others
 */
export async function storedRecord(source: Source, id: string): Promise<RawRow> {
  const [row] = await rowsById(source, `id, ${recordFields.join(', ')}`, [id]);
  if (row === undefined)
    throw new Error(
      'This record was deleted after you opened it. The versions of the dataset still have it.',
    );
  return row;
}

const isGiven = (raw: string | undefined): raw is string => raw !== undefined && raw !== 'null';

/** The record of a span. Without an expected value, its output is the expected value. */
function recordOf(source: Source, span: RawRow, id: string): RawRow {
  const expected = [span.get('expected'), span.get('output')].find(isGiven);
  const origin = {
    object_type: source.kind,
    object_id: source.id,
    id: plainText(span.get('id')!),
    _xact_id: plainText(span.get('_xact_id')!),
  };
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['id', JSON.stringify(id)],
    ['input', span.get('input')],
    ['expected', expected],
    ['metadata', span.get('metadata')],
    ['tags', span.get('tags')],
    ['origin', JSON.stringify(origin)],
  ];
  return new Map(fields.filter((field): field is [string, string] => isGiven(field[1])));
}

const selected = (source: Source): string =>
  `id, _xact_id, input, ${source.kind === 'dataset' ? '' : 'output, '}expected, metadata, tags`;

/**
 * Adds the spans with these ids to a dataset, in order, and returns their number: deleted ones are not added.
 * @param idOfRecord the id of the record of a span; another attempt with the same ids adds no record twice
 */
export async function addToDataset(
  source: Source,
  ids: readonly string[],
  dataset: string,
  idOfRecord: (span: string) => string,
): Promise<number> {
  const session = sessionSignal();
  const spans = await rowsById(source, selected(source), ids);
  const records = spans.map((span) => recordOf(source, span, idOfRecord(idOf(span))));
  await insertInBatches({ kind: 'dataset', id: dataset }, records, session);
  return spans.length;
}
