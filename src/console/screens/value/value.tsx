// A value of any size: text, a conversation, or JSON with every digit.
import { useMemo, useState } from 'react';
import { bytesText } from '../../app/format.js';
import { CopyButton } from '../../app/copy.js';
import { indented } from '../../json/lines.js';
import { isContainer, plainText } from '../../json/scan.js';
import { Chat } from './chat.js';
import { JsonLines } from './json-lines.js';
import { LongText } from './long-text.js';
import { messagesOf } from './messages.js';

interface ValueProps {
  readonly label: string;
  /** JSON text. */
  readonly raw: string;
  readonly isBad?: boolean;
}

type Mode = 'Chat' | 'Text' | 'JSON';

function modesOf(raw: string): readonly Mode[] {
  if (raw.startsWith('"')) return ['Text', 'JSON'];
  if (isContainer(raw) && messagesOf(raw) !== null) return ['Chat', 'JSON'];
  return ['JSON'];
}

function Body({ mode, raw, label }: { mode: Mode } & ValueProps) {
  if (mode === 'Text') return <LongText text={plainText(raw)} label={label} />;
  if (mode === 'Chat') return <Chat messages={messagesOf(raw) ?? []} />;
  return <JsonLines raw={raw} label={label} />;
}

export function Value({ label, raw, isBad = false }: ValueProps) {
  const modes = useMemo(() => modesOf(raw), [raw]);
  const [chosen, setChosen] = useState<Mode | null>(null);
  const mode = chosen !== null && modes.includes(chosen) ? chosen : modes[0]!;
  return (
    <div className={`value ${isBad ? 'bad-value' : ''} ${modes.length > 1 ? 'with-modes' : ''}`}>
      <div className="value-head">
        {modes.length > 1 &&
          modes.map((one) => (
            <button
              key={one}
              type="button"
              className="quiet small"
              aria-pressed={mode === one}
              onClick={() => setChosen(one)}
            >
              {one}
            </button>
          ))}
        {raw.length > 2000 && <span className="muted">{bytesText(raw.length)}</span>}
        <CopyValue raw={raw} />
      </div>
      <Body mode={mode} raw={raw} label={label} />
    </div>
  );
}

/** Longer texts are copied without indentation. */
const CopyValue = ({ raw }: { readonly raw: string }) => (
  <CopyButton text={raw.startsWith('"') || raw.length > 1e5 ? plainText(raw) : indented(raw)} />
);
