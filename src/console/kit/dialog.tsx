// A dialog over the page. Escape closes it.
import { useEffect, useId, useRef, type ReactNode } from 'react';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** Initially focuses the element with `data-focus`, or else the close button. */
export function Dialog({ title, close, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[data-focus]')?.focus();
  }, []);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby={id}>
      <div className="dialog-head">
        <h1 id={id}>{title}</h1>
        <button type="button" className="small" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      {children}
    </dialog>
  );
}
