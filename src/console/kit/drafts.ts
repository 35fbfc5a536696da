// Unsaved edits and comments. They outlive their form and their session until they are saved or cancelled, the user signs out here, or
// another one signs in.
import { useState } from 'react';
import { sessionUser, subscribeToSession } from '../server/session.js';

const drafts = new Map<string, unknown>();

export const discardDrafts = (): void => drafts.clear();

/** The user whose drafts they are. */
let owner = sessionUser();

subscribeToSession(() => {
  const user = sessionUser();
  if (user === null || user === owner) return;
  discardDrafts();
  owner = user;
});

// The browser asks before it leaves the page.
window.addEventListener('beforeunload', (event) => {
  if (drafts.size > 0) event.preventDefault();
});

export const hasDraft = (key: string): boolean => drafts.has(key);

export const discardDraft = (key: string): boolean => drafts.delete(key);

export interface Draft<T> {
  readonly state: T;
  /** The state now, even after the component was removed. */
  readonly latest: () => T;
  readonly change: (part: Partial<T>) => void;
}

/** A state that stays under `key` from its first change until `discardDraft`. */
export function useDraft<T extends object>(key: string, initial: () => T): Draft<T> {
  const [state, setState] = useState(() => (drafts.get(key) as T | undefined) ?? initial());
  const latest = () => (drafts.get(key) as T | undefined) ?? state;
  return {
    state,
    latest,
    change: (part) => {
      const next = { ...latest(), ...part };
      drafts.set(key, next);
      setState(next);
    },
  };
}
