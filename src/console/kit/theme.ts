// Light or dark theme: that of the system, unless the user chose one in this browser.

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
