// A conversation. Texts are shown verbatim: nothing in them is run, loaded or formatted.
import { useState } from 'react';
import { numberText } from '../../app/format.js';
import { JsonLines } from './json-lines.js';
import { LongText } from './long-text.js';
import type { Message, Part } from './messages.js';

const PartView = ({ part, role }: { readonly part: Part; readonly role: string }) =>
  part.kind === 'text' ? (
    <LongText text={part.text} label={role} />
  ) : (
    <div className="part">
      <span className="chip">{part.label}</span>
      <JsonLines raw={part.raw} label={part.label} />
    </div>
  );

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
