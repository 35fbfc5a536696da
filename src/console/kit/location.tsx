// The URL holds the state of the console. This module reads it, changes it, and renders links.
import { useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent } from 'react';
import { addressOf, urlOf } from './address.js';
import { decimalVersion } from './version-time.js';

const base = new URL(document.baseURI).pathname;

const changed = 'evalstore-location';

const subscribe = (listener: () => void) => {
  window.addEventListener('popstate', listener);
  window.addEventListener(changed, listener);
  return () => {
    window.removeEventListener('popstate', listener);
    window.removeEventListener(changed, listener);
  };
};

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** Segments of the path below the base, decoded. */
export const segmentsOf = (pathname: string): readonly string[] =>
  pathname
    .slice(base.length)
    .split('/')
    .filter((segment) => segment !== '')
    .map(decode);

/** Uses the id for names that browsers would resolve. */
export const nameInPath = ({ name, id }: { name: string; id: string }): string =>
  /^\.\.?$/.test(name) ? id : name;

export const pathOf = (...segments: readonly string[]): string =>
  base + segments.map(encodeURIComponent).join('/');

export const useHref = (): URL =>
  urlOf(useSyncExternalStore(subscribe, () => window.location.href));

/** The version in the URL; null for the latest. */
export function useVersion(): string | null {
  const version = decimalVersion(useHref().searchParams.get('v') ?? '');
  return version === '' ? null : version;
}

const addressOfHref = (href: string): string => addressOf(new URL(href, window.location.href));

/** @param replace whether to replace the history entry */
export function go(href: string, replace = false): void {
  const address = addressOfHref(href);
  if (address === window.location.href) return;
  window.history[replace ? 'replaceState' : 'pushState'](null, '', address);
  window.dispatchEvent(new Event(changed));
}

/** The same path with other parameters; null removes one. */
export function hrefWith(href: URL, changes: Readonly<Record<string, string | null>>): string {
  const next = new URL(href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  }
  return next.pathname + next.search;
}

/** Changes parameters of the URL. */
export function change(changes: Readonly<Record<string, string | null>>, replace = false): void {
  go(hrefWith(urlOf(window.location.href), changes), replace);
}

const isPlain = (event: MouseEvent) =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** A link in the console, which a browser can also open in another tab. */
export function Link(props: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string }) {
  const { href, onClick, ...rest } = props;
  return (
    <a
      {...rest}
      href={addressOfHref(href)}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || !isPlain(event)) return;
        event.preventDefault();
        go(href);
      }}
    />
  );
}
