// Edits the fields of a record as JSON. Sends only changed fields.
import { ActionError, useAction } from '../../kit/action.js';
import { indented } from '../../json/lines.js';
import { isContainer, plainText, type RawRow } from '../../json/scan.js';
import type { Source } from '../../server/clauses.js';
import { insertRows, newId } from '../../server/rows.js';
import { sessionSignal } from '../../server/session.js';
import { discardDraft, hasDraft, useDraft } from '../../kit/drafts.js';
import { changeOf, recordFields, storedRecord, type RecordField } from './record.js';

interface RecordEditorProps {
  readonly source: Source;
  /** Null for a new record. */
  readonly row: RawRow | null;
  readonly saved: () => void;
  readonly close: () => void;
}

type Texts = Readonly<Record<RecordField, string>>;

const shownText = (raw: string | undefined): string => {
  if (raw === undefined || raw === 'null') return '';
  return isContainer(raw) ? indented(raw) : raw;
};

const textsOf = (row: RawRow | null): Texts =>
  Object.fromEntries(recordFields.map((name) => [name, shownText(row?.get(name))])) as Texts;

/** The syntax error of the text; null for valid JSON and for an empty text. */
function problemOf(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const rawOf = (text: string): string => (text.trim() === '' ? 'null' : text);

/** The event that stores the changed fields. @param id that of a new record */
function eventOf(
  row: RawRow | null,
  id: string,
  changed: readonly RecordField[],
  texts: Texts,
  isMerge: boolean,
): RawRow {
  const fields = changed.map((name) => [name, rawOf(texts[name])] as const);
  return row === null
    ? new Map([['id', JSON.stringify(id)], ...fields.filter(([, raw]) => raw !== 'null')])
    : changeOf(row.get('id')!, new Map(fields), isMerge);
}

/** The key of the draft of a record. `row` is null for a new record. */
export const draftKey = ({ kind, id }: Source, row: RawRow | null): string =>
  JSON.stringify([kind, id, row?.get('id') ?? null]);

interface FieldProps {
  readonly name: RecordField;
  readonly text: string;
  readonly isFirst: boolean;
  readonly isBusy: boolean;
  readonly setText: (text: string) => void;
}

function JsonField({ name, text, isFirst, isBusy, setText }: FieldProps) {
  const problem = problemOf(text);
  return (
    <label className="field">
      <span>{name}</span>
      <textarea
        className="mono"
        data-focus={isFirst ? true : undefined}
        autoFocus={isFirst}
        rows={Math.min(Math.max(text.split('\n').length, 2), 14)}
        spellCheck={false}
        readOnly={isBusy}
        aria-invalid={problem !== null}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {problem !== null && <span className="bad">This is not JSON: {problem}</span>}
    </label>
  );
}

export function RecordEditor({ source, row, saved, close }: RecordEditorProps) {
  const key = draftKey(source, row);
  const draft = useDraft(key, () => {
    const before = textsOf(row);
    // `known` is the record as it was last read, to detect changes by others. `id` is for a new record: it stays the same, so that
    // another attempt to save the record does not store it twice.
    return { before, texts: before, isMerge: false, known: row, id: newId() };
  });
  const { before, texts, isMerge, id } = draft.state;
  const finish = () => {
    discardDraft(key);
    close();
  };
  const changed = recordFields.filter((name) => texts[name] !== before[name]);
  const { isBusy, error, start } = useAction('Save a record', async () => {
    const session = sessionSignal();
    const { known } = draft.latest();
    if (known !== null) {
      const stored = await storedRecord(source, plainText(known.get('id')!));
      draft.change({ known: stored });
      const lost = changed.filter((name) => stored.get(name) !== known.get(name));
      if (lost.length > 0)
        throw new Error(
          `Somebody changed ${lost.join(', ')} after you opened the record. Save again to replace that change.`,
        );
    }
    session.throwIfAborted();
    await insertRows(source, [eventOf(row, id, changed, texts, isMerge)]);
    // A form that was opened again can have other texts by now.
    const isDone = () => draft.latest().texts === texts;
    if (known !== null && !isDone()) {
      // The save has succeeded, even if this fails.
      const stored = await storedRecord(source, plainText(known.get('id')!)).catch(() => known);
      if (hasDraft(key)) draft.change({ known: stored });
    }
    saved();
    if (isDone()) finish();
  });
  const isValid = recordFields.every((name) => problemOf(texts[name]) === null);
  return (
    <form
      className="fields record-editor"
      aria-label="Record"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      {recordFields.map((name, index) => (
        <JsonField
          key={name}
          name={name}
          text={texts[name]}
          isFirst={index === 0}
          isBusy={isBusy}
          setText={(text) => draft.change({ texts: { ...texts, [name]: text } })}
        />
      ))}
      <ActionError error={error} />
      <div className="inline-form end">
        {row !== null && (
          <select
            aria-label="How to store the changed fields"
            value={isMerge ? 'merge' : 'replace'}
            onChange={(event) => draft.change({ isMerge: event.target.value === 'merge' })}
          >
            <option value="replace">Replace the changed fields</option>
            <option value="merge">Merge into the changed fields</option>
          </select>
        )}
        <button type="button" onClick={finish}>
          Cancel
        </button>
        <button
          type="submit"
          className="primary"
          disabled={changed.length === 0 || !isValid || isBusy}
        >
          Save
        </button>
      </div>
    </form>
  );
}
