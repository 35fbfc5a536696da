// Something that the server is asked to do: whether it runs, and what the server said no with.
import { useState } from 'react';

export interface Action<A extends readonly unknown[]> {
  readonly isBusy: boolean;
  /** The sentence of the last refusal; null when the last run succeeded. */
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
