// The frame of every screen: breadcrumbs, navigation, help and sign-out.
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { signOut } from '../server/request.js';
import type { Project } from '../server/objects.js';
import { discardDrafts } from '../kit/drafts.js';
import { KeysButton } from './keys-dialog.js';
import { Link, nameInPath, pathOf } from '../kit/location.js';
import { Logo } from '../kit/logo.js';
import { keyText, useShortcuts } from '../kit/shortcuts.js';
import { applyTheme, theme, type Theme } from '../kit/theme.js';

const Palette = lazy(() => import('./palette.js'));

const themes: readonly Theme[] = ['system', 'light', 'dark'];

function ThemeButton() {
  const [current, setCurrent] = useState(theme);
  const next = themes[(themes.indexOf(current) + 1) % themes.length] ?? 'system';
  return (
    <button
      type="button"
      className="quiet"
      title={`Theme: ${current}`}
      aria-label={`Theme: ${current}. Change to ${next}`}
      onClick={() => {
        applyTheme(next);
        setCurrent(next);
      }}
    >
      <span aria-hidden="true">{current === 'system' ? '◐' : current === 'light' ? '☀' : '☾'}</span>
    </button>
  );
}

/** The entries of the navigation. */
export interface Navigation {
  /** The label of the region for screen readers. */
  readonly label: string;
  readonly title: string;
  readonly entries: readonly {
    readonly label: string;
    readonly href: string;
    readonly isCurrent: boolean;
  }[];
}

/** @param table labels by segment of the path */
export const navigationOf = (
  label: string,
  title: string,
  table: Readonly<Record<string, string>>,
  path: (name: string) => string,
  current: string,
): Navigation => ({
  label,
  title,
  entries: Object.entries(table).map(([name, text]) => ({
    label: text,
    href: path(name),
    isCurrent: name === current,
  })),
});

const Sidebar = ({ label, title, entries }: Navigation) => (
  <nav className="sidebar" aria-label={label}>
    <h2 className="cut" title={title}>
      {title}
    </h2>
    {entries.map((entry) => (
      <Link key={entry.href} href={entry.href} aria-current={entry.isCurrent ? 'page' : undefined}>
        {entry.label}
      </Link>
    ))}
  </nav>
);

export interface Crumb {
  readonly label: string;
  readonly href: string;
}

interface ShellProps {
  readonly organisation: string;
  readonly project?: Project;
  readonly navigation?: Navigation;
  readonly crumbs?: readonly Crumb[];
  readonly children: ReactNode;
}

const Crumbs = ({ crumbs }: { readonly crumbs: readonly Crumb[] }) => (
  <nav className="crumbs" aria-label="Breadcrumbs">
    {crumbs.map(({ label, href }, index) => (
      <span key={href} className={index === 0 ? 'organisation' : undefined}>
        {index > 0 && (
          <span className="muted" aria-hidden="true">
            /
          </span>
        )}
        <Link
          className="cut"
          href={href}
          aria-current={index === crumbs.length - 1 ? 'location' : undefined}
        >
          {label}
        </Link>
      </span>
    ))}
  </nav>
);

export function Shell({ organisation, project, navigation, crumbs = [], children }: ShellProps) {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  useShortcuts([
    { key: 'mod+k', label: 'Go to a page or run an action', run: () => setPaletteOpen(true) },
  ]);
  const home = pathOf(organisation);
  const trail: readonly Crumb[] = [
    { label: organisation, href: home },
    ...(project === undefined
      ? []
      : [{ label: project.name, href: pathOf(organisation, 'p', nameInPath(project), 'logs') }]),
    ...crumbs,
  ];
  return (
    <div className={navigation === undefined ? 'shell wide' : 'shell'}>
      <button
        type="button"
        className="skip"
        onClick={() => document.getElementById('main')?.focus()}
      >
        Skip to the content
      </button>
      <header className="topbar">
        <Link className="brand" href={home} aria-label="Evalstore, all projects">
          <Logo />
        </Link>
        <Crumbs crumbs={trail} />
        <a className="button quiet docs" href="../docs/index" target="_blank" rel="noreferrer">
          Manual
        </a>
        <button type="button" className="quiet docs" onClick={() => setPaletteOpen(true)}>
          Go to <kbd>{keyText('mod+k')}</kbd>
        </button>
        <Link className="button quiet" href={pathOf(organisation, 'settings')}>
          Settings
        </Link>
        <KeysButton />
        <ThemeButton />
        <button
          type="button"
          className="quiet"
          onClick={() => {
            discardDrafts();
            signOut();
          }}
        >
          Sign out
        </button>
      </header>
      {navigation !== undefined && <Sidebar {...navigation} />}
      <main className="main" id="main" tabIndex={-1}>
        {children}
      </main>
      {isPaletteOpen && (
        <Suspense>
          <Palette
            organisation={organisation}
            project={project}
            close={() => setPaletteOpen(false)}
          />
        </Suspense>
      )}
    </div>
  );
}
