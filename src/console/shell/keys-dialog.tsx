// The button and the shortcut that show the keyboard shortcuts of the screen.
import { useState } from 'react';
import { Dialog } from '../kit/dialog.js';
import {
  activeShortcuts,
  areKeysOff,
  keyText,
  switchKeys,
  useShortcuts,
} from '../kit/shortcuts.js';

function KeysDialog({ close }: { readonly close: () => void }) {
  const [isOff, setOff] = useState(areKeysOff);
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <dl className="keys">
        {activeShortcuts().map(({ key, label }) => (
          <div key={key + label} style={{ display: 'contents' }}>
            <dt>
              <kbd>{keyText(key)}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <p className="muted">
        Tables, trees and JSON: arrows move, Enter opens or folds. Space selects the row where rows
        have check boxes.
      </p>
      <label>
        <input
          type="checkbox"
          checked={isOff}
          onChange={(event) => {
            switchKeys(event.target.checked);
            setOff(event.target.checked);
          }}
        />{' '}
        Disable single-key shortcuts in this browser
      </label>
    </Dialog>
  );
}

export function KeysButton() {
  const [isOpen, setOpen] = useState(false);
  useShortcuts([{ key: '?', label: 'Show keyboard shortcuts', run: () => setOpen(true) }]);
  return (
    <>
      <button type="button" className="quiet" aria-label="Keys" onClick={() => setOpen(true)}>
        ?
      </button>
      {isOpen && <KeysDialog close={() => setOpen(false)} />}
    </>
  );
}
