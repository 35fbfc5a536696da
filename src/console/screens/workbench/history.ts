// The queries that ran in this browser, latest first.

const storageKey = 'evalstore-queries';
const kept = 30;
const lengthMax = 10_000;

export function history(): readonly string[] {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey) ?? '[]') as unknown;
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

export function remember(query: string): void {
  if (query.length > lengthMax) return;
  const queries = [query, ...history().filter((one) => one !== query)].slice(0, kept);
  try {
    localStorage.setItem(storageKey, JSON.stringify(queries));
  } catch {
    // The storage of the browser is full; the history is optional.
  }
}
