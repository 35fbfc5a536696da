// A request that changes something: whether it runs, and the error of the last run.
import { useState } from 'react';
import { sessionSignal } from '../server/session.js';
import { reportFailure, useIsShown } from './failures.js';

export interface Action<A extends readonly unknown[]> {
  readonly isBusy: boolean;
  /** The error of the last run; null if it succeeded. */
  readonly error: string | null;
  readonly start: (...parameters: A) => void;
}

/** @param title the label of its dialog or button */
export function useAction<A extends readonly unknown[]>(
  title: string,
  run: (...parameters: A) => Promise<unknown>,
): Action<A> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const isShown = useIsShown();
  const start = async (...parameters: A) => {
    const session = sessionSignal();
    setBusy(true);
    setError(null);
    try {
      await run(...parameters);
    } catch (refusal) {
      const { message } = refusal as Error;
      if (isShown.current && !session.aborted) setError(message);
      else reportFailure(session, `“${title}” failed: ${message}`);
    }
    setBusy(false);
  };
  return { isBusy, error, start: (...parameters) => void start(...parameters) };
}

export const ActionError = ({ error }: { readonly error: string | null }) =>
  error === null ? null : (
    <p className="bad action-error" role="alert">
      {error}
    </p>
  );
