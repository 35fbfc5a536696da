// Whether the server answered the last request.
import { useSyncExternalStore } from 'react';

let isLost = false;
const listeners = new Set<() => void>();

/** Records whether a request got an answer. */
export function setLost(next: boolean): void {
  if (isLost === next) return;
  isLost = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useIsConnectionLost = (): boolean => useSyncExternalStore(subscribe, () => isLost);
