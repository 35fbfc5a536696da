// The session of this browser: its secret half and its end. The key itself is never kept; the other half is a cookie that
// no script can read.

/** Servers behind different paths of one origin have sessions of their own. */
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
const listeners = new Set<() => void>();

function change(session: Session | null): void {
  current = session;
  for (const listener of listeners) listener();
}

export const sessionHalf = (): string | null => current?.session ?? null;

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

// What another tab does holds here, too.
window.addEventListener('storage', ({ key }) => {
  if (key === storageKey) change(read());
});
