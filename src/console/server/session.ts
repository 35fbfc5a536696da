// The session of this browser: its secret half and its expiry. The key is never stored; the other half is a cookie that
// scripts cannot read.

/** The storage key. Servers below different paths of one origin have separate sessions. */
const storageKey = `evalstore-session ${new URL(document.baseURI).pathname}`;

interface Session {
  readonly session: string;
  readonly expires: string;
  readonly user_id: string;
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

function change(session: Session | null, refusal?: Error): void {
  if (session === null && current === null) return;
  current = session;
  ending.abort(refusal);
  ending = new AbortController();
  for (const listener of listeners) listener();
}

export const sessionHalf = (): string | null => current?.session ?? null;

export const sessionUser = (): string | null => current?.user_id ?? null;

/**
 * Aborts when another session, or none, becomes the current one; the reason is a `Refusal` if the server ended the session. An action
 * of several requests takes it before the first one, and checks it before each further one, which would otherwise belong to the next
 * session.
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

/** @param refusal the error with which the server ended the session; absent if the user did */
export function dropSession(refusal?: Error): void {
  localStorage.removeItem(storageKey);
  change(null, refusal);
}

// Follows changes in other tabs.
window.addEventListener('storage', ({ key }) => {
  if (key === storageKey) change(read());
});
