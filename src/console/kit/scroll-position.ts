// The scroll position of a list. It is part of the history entry, so Back restores it; a new entry begins at the first row, unless it
// shows the same rows.
import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import { useHref } from './location.js';

interface Entry {
  readonly scroll?: number;
}

const entry = (): Entry => (window.history.state ?? {}) as Entry;

const keep = (scroll: number): void => window.history.replaceState({ ...entry(), scroll }, '');

/**
 * @param rows identifies the rows
 * @param toFirst called when other rows are shown
 */
export function useScrollPosition(
  scroller: RefObject<HTMLElement | null>,
  rows: string,
  toFirst: () => void,
): void {
  const { href } = useHref();
  const shown = useRef<string | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    if (shown.current === rows) keep(element.scrollTop);
    else {
      element.scrollTop = entry().scroll ?? 0;
      if (shown.current !== null) toFirst();
    }
    shown.current = rows;
    // A new function is not a change.
    // eslint-disable-next-line
  }, [scroller, rows, href]);
  useEffect(() => {
    const element = scroller.current;
    const onEnd = ({ target }: Event) => target === element && keep(element!.scrollTop);
    element?.addEventListener('scrollend', onEnd);
    return () => element?.removeEventListener('scrollend', onEnd);
  }, [scroller]);
}
