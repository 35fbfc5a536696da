// Actions on several rows at once.
import { elementsOf, plainText, type RawRow } from '../../json/scan.js';
import type { Source } from '../../server/clauses.js';
import { giveFeedback, idOf, insertInBatches, rowsById } from '../../server/rows.js';
import { sessionSignal } from '../../server/session.js';

/**
 * A text without spaces around it.
 * @throws Error if it is blank
 */
export function trimmed(name: 'tag' | 'name', text: string): string {
  const given = text.trim();
  if (given === '') throw new Error(`The ${name} is blank.`);
  return given;
}

/** The tags of a row. */
const tagsOf = (row: RawRow): readonly string[] => {
  const tags = row.get('tags') ?? 'null';
  return tags.startsWith('[') ? elementsOf(tags).map(plainText) : [];
};

/** Adds a tag to each row: as feedback or, for records, as a merge, since feedback cannot change tags of records. */
export async function tagRows(source: Source, ids: readonly string[], tag: string): Promise<void> {
  const session = sessionSignal();
  const rows = await rowsById(source, 'id, tags', ids);
  session.throwIfAborted();
  const tagged = rows.map((row) => ({ id: idOf(row), tags: [...new Set([...tagsOf(row), tag])] }));
  if (source.kind !== 'dataset') return giveFeedback(source, tagged);
  const events = tagged.map(
    ({ id, tags }) =>
      new Map([
        ['id', JSON.stringify(id)],
        ['_is_merge', 'true'],
        ['tags', JSON.stringify(tags)],
      ]),
  );
  await insertInBatches(source, events, session);
  return undefined;
}

/** Scores the rows that still exist: feedback on another row refuses all. */
export async function scoreRows(
  source: Source,
  ids: readonly string[],
  name: string,
  score: number,
): Promise<void> {
  const session = sessionSignal();
  const rows = await rowsById(source, 'id', ids);
  session.throwIfAborted();
  const scored = rows.map((row) => ({ id: idOf(row), scores: { [name]: score } }));
  await giveFeedback(source, scored);
}
