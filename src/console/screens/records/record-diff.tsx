// The fields of a record that differ between two versions, with their words that differ.
import { indented } from '../../json/lines.js';
import { isContainer, membersOf, plainText } from '../../json/scan.js';
import { WordDiff } from '../compare/word-diff.js';
import { recordFields, type RecordField } from './record.js';

interface RecordDiffProps {
  /** The content as a JSON object; empty if there is no record. */
  readonly before: string;
  readonly after: string;
}

function textOf(content: string, field: RecordField): string {
  const raw = content === '' ? 'null' : (membersOf(content).get(field) ?? 'null');
  if (raw === 'null') return '';
  return isContainer(raw) ? indented(raw) : plainText(raw);
}

export const RecordDiff = ({ before, after }: RecordDiffProps) => (
  <>
    {recordFields.map((field) => {
      const old = textOf(before, field);
      const now = textOf(after, field);
      if (old === now) return null;
      return (
        <div key={field}>
          <p className="menu-title">{field}</p>
          <WordDiff before={old} after={now} />
        </div>
      );
    })}
  </>
);
