// A request that changes something: whether it runs, and the error of the last run.
import { useState } from 'react';

export interface Action<A extends readonly unknown[]> {
  readonly isBusy: boolean;
  /** The error of the last run; null if it succeeded. */
  readonly error: string | null;
  readonly start: (...parameters: A) => void;
}

export function useAction<A extends readonly unknown[]>(
  run: (...parameters: A) => Promise<unknown>,
): Action<A> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const start = async (...parameters: A) => {
    setBusy(true);
    setError(null);
    try {
      await run(...parameters);
    } catch (refusal) {
      setError((refusal as Error).message);
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
