// A table cell, from the JSON text of its value.
import {
  durationText,
  numberText,
  shortNumberText,
  shortTimeText,
  timeText,
} from '../../kit/format.js';
import { elementsOf, isContainer, membersOf, plainText, type RawRow } from '../../json/scan.js';
import { attachmentIn } from '../value/attachments.js';
import { textOfContent } from '../value/messages.js';
import type { ColumnKind } from './columns.js';

/** The maximum number of characters in a cell. */
const shownMax = 500;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

function Scores({ raw }: { readonly raw: string }) {
  if (!raw.startsWith('{')) return <>{plainText(raw)}</>;
  const scores = [...membersOf(raw)].filter(([, value]) => value !== 'null');
  return (
    <span className="chips" title={scores.map((score) => score.join(': ')).join('\n')}>
      {scores.map(([name, value]) => (
        <span key={name} className="chip score" title={`${name}: ${value}`}>
          <span className="cut">{name}</span>
          <b>{shortNumberText(value)}</b>
        </span>
      ))}
    </span>
  );
}

function Tags({ raw }: { readonly raw: string }) {
  if (!raw.startsWith('[')) return <>{plainText(raw)}</>;
  return (
    <span className="chips">
      {elementsOf(raw).map((tag) => (
        <span key={tag} className="chip">
          {plainText(tag)}
        </span>
      ))}
    </span>
  );
}

interface CellProps {
  readonly kind: ColumnKind;
  /** Shows undefined and `null` alike. */
  readonly raw: string | undefined;
  /** For a conversation, the content of its last message. */
  readonly message?: string | undefined;
}

export const isNumeric = (raw: string | undefined): boolean => /^-?\d/.test(raw ?? '');

/** Whether the first value of the column is a number. */
export const isNumberColumn = (name: string, rows: readonly RawRow[]): boolean =>
  isNumeric(rows.find((row) => (row.get(name) ?? 'null') !== 'null')?.get(name));

export function Cell({ kind, raw, message }: CellProps) {
  if (raw === undefined || raw === 'null') return <span className="muted">–</span>;
  if (kind === 'time') {
    const time = plainText(raw);
    return <span title={timeText(time)}>{shortTimeText(time)}</span>;
  }
  if (kind === 'scores') return <Scores raw={raw} />;
  if (kind === 'tags') return <Tags raw={raw} />;
  if (kind === 'duration' && isNumeric(raw)) return <>{durationText(Number(raw))}</>;
  if (isNumeric(raw)) return <>{/^\d{4,15}$/.test(raw) ? numberText(Number(raw)) : raw}</>;
  const spoken = textOfContent(message);
  if (spoken !== null) return <bdi>{oneLine(spoken.slice(0, shownMax))}</bdi>;
  const file = raw.startsWith('"') ? attachmentIn(raw) : null;
  if (file !== null) return <span className="chip">{file.name}</span>;
  const text = oneLine(plainText(raw).slice(0, shownMax));
  return isContainer(raw) ? <code>{text}</code> : <bdi>{text}</bdi>;
}
