// Keys: one listener for all, each screen says what its keys do while it is shown.
import { useEffect, useRef } from 'react';

export interface Shortcut {
  /** As `KeyboardEvent.key` names it. */
  readonly key: string;
  readonly label: string;
  readonly run: () => void;
}

const offKey = 'evalstore-keys-off';

export const areKeysOff = (): boolean => localStorage.getItem(offKey) !== null;

export function switchKeys(isOff: boolean): void {
  if (isOff) localStorage.setItem(offKey, '');
  else localStorage.removeItem(offKey);
}

const active = new Set<{ current: readonly Shortcut[] }>();

export const activeShortcuts = (): readonly Shortcut[] =>
  [...active].flatMap(({ current }) => current);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(textarea|select)$/i.test(target.tagName) ||
    (target instanceof HTMLInputElement && !/^(checkbox|radio|range)$/.test(target.type)));

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
  if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
  if (areKeysOff() && event.key !== 'Escape') return;
  // The latest comes first: what lies on top has the key.
  const found = activeShortcuts().findLast(({ key }) => key === event.key);
  if (found === undefined) return;
  event.preventDefault();
  found.run();
});

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const ref = useRef(shortcuts);
  ref.current = shortcuts;
  useEffect(() => {
    active.add(ref);
    return () => void active.delete(ref);
  }, []);
}
