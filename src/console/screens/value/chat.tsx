// A conversation. Texts are shown verbatim: nothing in them is run, loaded or formatted.
import { useMemo, useState } from 'react';
import { numberText } from '../../kit/format.js';
import { AttachmentCard } from './attachment-card.js';
import { AttachmentList } from './attachment-list.js';
import { findAttachments } from './find-attachments.js';
import { JsonLines } from './json-lines.js';
import { LongText } from './long-text.js';
import type { Message, Part } from './messages.js';

function JsonPart({ label, raw }: Extract<Part, { readonly kind: 'json' }>) {
  const found = useMemo(() => findAttachments(raw), [raw]);
  return (
    <div className="part">
      <span className="chip">{label}</span>
      <AttachmentList found={found} />
      <JsonLines raw={raw} label={label} />
    </div>
  );
}

function PartView({ part, role }: { readonly part: Part; readonly role: string }) {
  if (part.kind === 'text') return <LongText text={part.text} label={role} />;
  if (part.kind === 'json') return <JsonPart {...part} />;
  return (
    <div className="part">
      <AttachmentCard attachment={part.attachment} path="" />
    </div>
  );
}

/** The number of messages to show at first. */
const shownMax = 50;

export function Chat({ messages }: { readonly messages: readonly Message[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? messages : messages.slice(-shownMax);
  const left = messages.length - shown.length;
  return (
    <ol className="chat">
      {left > 0 && (
        <li>
          <button type="button" className="small" onClick={() => setWhole(true)}>
            Show {numberText(left)} earlier messages
          </button>
        </li>
      )}
      {shown.map(({ role, parts }, index) => (
        <li key={left + index} className="message" data-role={role}>
          <h4>{role}</h4>
          {parts.map((part, place) => (
            <PartView key={place} part={part} role={role} />
          ))}
        </li>
      ))}
    </ol>
  );
}
