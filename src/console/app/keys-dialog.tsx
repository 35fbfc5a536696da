// The list of the keys that work on this screen.
import { useEffect, useRef, useState } from 'react';
import { activeShortcuts, areKeysOff, switchKeys } from './shortcuts.js';

export function KeysDialog({ close }: { readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOff, setOff] = useState(areKeysOff);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="keys-title">
      <div className="dialog-head">
        <h1 id="keys-title">Keys</h1>
        <button type="button" className="small" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      <dl className="keys">
        {activeShortcuts().map(({ key, label }) => (
          <div key={key + label} style={{ display: 'contents' }}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <label>
        <input
          type="checkbox"
          checked={isOff}
          style={{ height: 'auto' }}
          onChange={(event) => {
            switchKeys(event.target.checked);
            setOff(event.target.checked);
          }}
        />{' '}
        Switch single keys off in this browser
      </label>
    </dialog>
  );
}
