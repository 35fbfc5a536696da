// The session of this browser: its secret half and its expiry. The key is never stored; the other half is a cookie that
// scripts cannot read.

/** The storage key. Servers below different paths of one origin have separate sessions. */
const storageKey = `evalstore-session ${new URL(document.baseURI).pathname}`;

interface Session {
  readonly session: string;
  readonly expires: string;
}

function read(): Session | null {
  try {
    const found = JSON.parse(localStorage.getItem(storageKey) ?? 'null') as Session | null;
    return found !== null && Date.parse(found.expires) > Date.now() ? found : null;
  } catch {
    return null;
  }
}

let current = read();
let ending = new AbortController();
const listeners = new Set<() => void>();

function change(session: Session | null): void {
  if (session === null && current === null) return;
  current = session;
  ending.abort();
  ending = new AbortController();
  for (const listener of listeners) listener();
}

export const sessionHalf = (): string | null => current?.session ?? null;

/**
 * Aborts when another session, or none, becomes the current one. An action of several requests takes it before the first one, and checks it before each
 * further one, which would otherwise belong to the next session.
 */
export const sessionSignal = (): AbortSignal => ending.signal;

export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function keepSession(session: Session): void {
  localStorage.setItem(storageKey, JSON.stringify(session));
  change(session);
}

export function dropSession(): void {
  localStorage.removeItem(storageKey);
  change(null);
}

// Follows changes in other tabs.
window.addEventListener('storage', ({ key }) => {
  if (key === storageKey) change(read());
});
