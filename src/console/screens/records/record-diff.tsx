// The fields of a record that differ between two versions, with their words that differ or their files.
import { indented } from '../../json/lines.js';
import { isContainer, membersOf, plainText } from '../../json/scan.js';
import { WordDiff } from '../value/word-diff.js';
import { hasWords } from '../value/find-attachments.js';
import { Value } from '../value/value.js';
import { recordFields, type RecordField } from './record.js';

interface RecordDiffProps {
  /** The content as a JSON object; empty if there is no record. */
  readonly before: string;
  readonly after: string;
}

const rawOf = (content: string, field: RecordField): string =>
  content === '' ? 'null' : (membersOf(content).get(field) ?? 'null');

function textOf(raw: string): string {
  if (raw === 'null') return '';
  return isContainer(raw) ? indented(raw) : plainText(raw);
}

/** Whether the texts of two values hide what differs: 1 and "2" are of two types. */
function areComparedAsJson(before: string, after: string): boolean {
  if (textOf(before) === textOf(after)) return true;
  if ([before, after].some((raw) => raw === 'null' || isContainer(raw))) return false;
  return before.startsWith('"') !== after.startsWith('"');
}

interface FieldProps extends RecordDiffProps {
  readonly field: RecordField;
}

/** Values with files are shown one after the other. */
function FieldDiff({ field, before, after }: FieldProps) {
  if (hasWords(before) && hasWords(after)) {
    const shown = areComparedAsJson(before, after) ? String : textOf;
    return <WordDiff before={shown(before)} after={shown(after)} />;
  }
  return (
    <div className="sides">
      <Value label={`${field} before`} raw={before} />
      <Value label={`${field} after`} raw={after} />
    </div>
  );
}

export const RecordDiff = ({ before, after }: RecordDiffProps) => (
  <>
    {recordFields.map((field) => {
      const [old, now] = [rawOf(before, field), rawOf(after, field)];
      if (old === now) return null;
      return (
        <div key={field}>
          <p className="menu-title">{field}</p>
          <FieldDiff field={field} before={old} after={now} />
        </div>
      );
    })}
  </>
);
