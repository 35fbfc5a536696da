// The files in a value, a page at a time.
import { useState } from 'react';
import { countText } from '../../kit/format.js';
import { AttachmentCard } from './attachment-card.js';
import type { Found } from './find-attachments.js';

const pageSize = 20;

export function AttachmentList({ found }: { readonly found: readonly Found[] }) {
  const [count, setCount] = useState(pageSize);
  if (found.length === 0) return null;
  return (
    <ul className="attachments">
      {found.slice(0, count).map(({ path, attachment }) => (
        <li key={path}>
          <AttachmentCard attachment={attachment} path={path} />
        </li>
      ))}
      {found.length > count && (
        <li>
          <button type="button" className="small" onClick={() => setCount(count + pageSize)}>
            Show more of {countText(found.length, 'file')}
          </button>
        </li>
      )}
    </ul>
  );
}
