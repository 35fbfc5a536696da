// Failures of actions whose form is no longer shown. Each stays above the page until the user closes it or the session changes.
import { useEffect, useRef, useSyncExternalStore, type RefObject } from 'react';
import { Refusal } from '../server/request.js';
import { sessionHalf, subscribeToSession } from '../server/session.js';

let failures: readonly string[] = [];
const listeners = new Set<() => void>();

function set(next: readonly string[]): void {
  failures = next;
  for (const listener of listeners) listener();
}

subscribeToSession(() => set([]));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Shows nothing if the user ended the session meanwhile, or another session began.
 * @param session the signal of the session in which the action began
 * @param sentence what failed, and why
 */
export function reportFailure(session: AbortSignal, sentence: string): void {
  const isEnded = session.reason instanceof Refusal && sessionHalf() === null;
  if (!session.aborted || isEnded) set([...new Set([...failures, sentence])]);
}

/** Whether the component is shown, also after it was removed. */
export function useIsShown(): RefObject<boolean> {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}

export const Failures = () =>
  useSyncExternalStore(subscribe, () => failures).map((sentence) => (
    <p key={sentence} className="banner" role="alert">
      <span>{sentence}</span>
      <button
        type="button"
        className="small"
        onClick={() => set(failures.filter((one) => one !== sentence))}
      >
        Close
      </button>
    </p>
  ));
