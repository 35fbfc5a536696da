// Light or dark: what the system says, unless this browser was told otherwise.

export type Theme = 'system' | 'light' | 'dark';

const storageKey = 'evalstore-theme';

export function theme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(next: Theme): void {
  if (next === 'system') {
    localStorage.removeItem(storageKey);
    delete document.documentElement.dataset['theme'];
  } else {
    localStorage.setItem(storageKey, next);
    document.documentElement.dataset['theme'] = next;
  }
}
