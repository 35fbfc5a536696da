// A value of any size: text, a conversation, files, or JSON with every digit.
import { useMemo, useState } from 'react';
import { sizeText } from '../../kit/format.js';
import { CopyButton } from '../../kit/copy.js';
import { indented } from '../../json/lines.js';
import { isContainer, plainText } from '../../json/scan.js';
import { AttachmentList } from './attachment-list.js';
import { Chat } from './chat.js';
import { findAttachments, type Found } from './find-attachments.js';
import { JsonLines } from './json-lines.js';
import { LongText } from './long-text.js';
import { messagesOf, type Message } from './messages.js';

interface ValueProps {
  readonly label: string;
  /** JSON text. */
  readonly raw: string;
  readonly isBad?: boolean;
}

type Mode = 'Chat' | 'Files' | 'Text' | 'JSON';

/** What the value is, which decides how it can be shown: the first mode is the default. */
interface Reading {
  readonly modes: readonly Mode[];
  readonly messages: readonly Message[];
  readonly found: readonly Found[];
}

function readingOf(raw: string): Reading {
  const messages = isContainer(raw) ? messagesOf(raw) : null;
  if (messages !== null) return { modes: ['Chat', 'JSON'], messages, found: [] };
  const found = findAttachments(raw);
  if (found.length > 0) return { modes: ['Files', 'JSON'], messages: [], found };
  const modes: readonly Mode[] = raw.startsWith('"') ? ['Text', 'JSON'] : ['JSON'];
  return { modes, messages: [], found: [] };
}

type BodyProps = Omit<ValueProps, 'isBad'> & Reading & { readonly mode: Mode };

function Body({ mode, raw, label, messages, found }: BodyProps) {
  if (mode === 'Text') return <LongText text={plainText(raw)} label={label} />;
  if (mode === 'Chat') return <Chat messages={messages} />;
  return (
    <>
      {mode === 'Files' && <AttachmentList found={found} />}
      {(mode === 'JSON' || found[0]?.path !== '') && <JsonLines raw={raw} label={label} />}
    </>
  );
}

export function Value({ label, raw, isBad = false }: ValueProps) {
  const reading = useMemo(() => readingOf(raw), [raw]);
  const size = useMemo(() => (raw.length > 2000 ? sizeText(raw) : null), [raw]);
  const { modes } = reading;
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
        {size !== null && <span className="muted">{size}</span>}
        <CopyValue raw={raw} />
      </div>
      <Body {...reading} mode={mode} raw={raw} label={label} />
    </div>
  );
}

/** Longer texts are copied without indentation. */
const CopyValue = ({ raw }: { readonly raw: string }) => (
  <CopyButton text={raw.startsWith('"') || raw.length > 1e5 ? plainText(raw) : indented(raw)} />
);
