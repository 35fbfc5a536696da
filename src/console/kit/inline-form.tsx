// A form on one line: fields, a button, and an error.
import type { ReactNode } from 'react';
import { ActionError, useAction } from './action.js';

interface InlineFormProps {
  /** The label of the button. */
  readonly action: string;
  /** What the form does, for an error that is shown elsewhere; by default the label. */
  readonly title?: string;
  readonly run: (form: HTMLFormElement) => Promise<void>;
  readonly children: ReactNode;
}

export function InlineForm({ action, title = action, run, children }: InlineFormProps) {
  const { isBusy, error, start } = useAction(title, run);
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        start(event.currentTarget);
      }}
    >
      {children}
      <button type="submit" disabled={isBusy}>
        {action}
      </button>
      <ActionError error={error} />
    </form>
  );
}
