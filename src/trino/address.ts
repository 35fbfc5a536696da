// Where a cluster is: `https://user:password@host:8443`.

export interface TrinoAddress {
  /** Without user and password, with a slash at its end. */
  readonly url: URL;
  readonly user: string;
  /** Null for a cluster that asks for none. */
  readonly password: string | null;
}

/** The user of an address that names none. */
const defaultUser = 'evalstore';

/** Null for a text that is no URL of HTTP, or has more than a host and a path. */
export function trinoAddress(text: string): TrinoAddress | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  if (url.search !== '' || url.hash !== '') return null;
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  url.username = '';
  url.password = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return { url, user: user || defaultUser, password: password || null };
}
