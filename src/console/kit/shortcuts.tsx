// Keyboard shortcuts: one listener for all; each screen registers its shortcuts while it is shown.
import { useLayoutEffect, useRef } from 'react';

export interface Shortcut {
  /** The value of `KeyboardEvent.key`; the prefix `mod+` means Control or Command. */
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

/** Keys that some layouts write with Alt: a German one does on a Mac. */
const writtenWithAlt: ReadonlySet<string> = new Set(['[', ']']);

const isMac = navigator.platform.startsWith('Mac');

/** The display name of a key. */
export const keyText = (key: string): string =>
  key.replace(/^mod\+(.*)$/, (_, letter: string) =>
    isMac ? `⌘${letter.toUpperCase()}` : `Ctrl ${letter.toUpperCase()}`,
  );

// An input method has the keys that compose a text. Safari marks the last one by its code alone.
const composing = 229;

document.addEventListener(
  'keydown',
  (event) => {
    if (event.isComposing || event.keyCode === composing) event.stopPropagation();
  },
  { capture: true },
);

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || (event.altKey && !writtenWithAlt.has(event.key))) return;
  if (document.querySelector('dialog[open]') !== null) return;
  const hasModifier = event.metaKey || event.ctrlKey;
  // An open menu gets the keys; Escape closes it alone.
  if (!hasModifier && document.querySelector(':popover-open') !== null) return;
  const pressed = hasModifier ? `mod+${event.key.toLowerCase()}` : event.key;
  if (!hasModifier && isTyping(event.target)) return;
  if (areKeysOff() && !hasModifier && event.key !== 'Escape') return;
  // The latest registration takes precedence, so that an overlay gets the key.
  const found = activeShortcuts().findLast(({ key }) => key === pressed);
  if (found === undefined) return;
  event.preventDefault();
  found.run();
});

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const ref = useRef(shortcuts);
  ref.current = shortcuts;
  // Before the browser paints: what is visible has its keys.
  useLayoutEffect(() => {
    active.add(ref);
    return () => void active.delete(ref);
  }, []);
}
