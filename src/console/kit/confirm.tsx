// A dialog that confirms an action that cannot be undone.
import { useState, type ReactNode } from 'react';
import { ActionError, useAction } from './action.js';
import { Dialog } from './dialog.js';
import { isSameText } from './format.js';

interface ConfirmProps {
  readonly title: string;
  /** The label of the button that runs the action. */
  readonly action: string;
  /** The text that the user has to type first, if any. */
  readonly typed?: string;
  readonly run: () => Promise<unknown>;
  readonly close: () => void;
  readonly children: ReactNode;
}

export function Confirm({ title, action, typed, run, close, children }: ConfirmProps) {
  const [text, setText] = useState('');
  const { isBusy, error, start } = useAction(title, async () => {
    await run();
    close();
  });
  const isReady = typed === undefined || isSameText(text, typed);
  return (
    <Dialog title={title} close={close}>
      <form
        className="fields dialog-body"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) start();
        }}
      >
        {children}
        {typed !== undefined && (
          <label className="field">
            <span>
              Type <b>{typed}</b> to confirm
            </span>
            <input
              data-focus
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
        )}
        <ActionError error={error} />
        <div className="inline-form end">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button
            type="submit"
            className="danger"
            data-focus={typed === undefined ? true : undefined}
            disabled={!isReady || isBusy}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
