// Steps through the versions of a source, one transaction at a time.
import { useRef } from 'react';
import { useAction, type Action } from '../../kit/action.js';
import { change } from '../../kit/location.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import { quoted, sourceText, textOf, type Source } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';
import { sharedExperiment } from '../../server/shared.js';
import { viewOf } from './view.js';

interface Found {
  /** A transaction id; null if there are no rows. */
  readonly at: string | null;
}

/** All versions of the rows and their deletions. Without a session, which they need, the current rows. */
const versionsOf = (source: Source): string =>
  `${sourceText(source)}${sharedExperiment() === null ? ' versions' : ''}`;

/** The version before the last transaction; null if there is none. @param version empty for the latest */
async function earlierVersion(source: Source, version: string): Promise<string | null> {
  const query = textOf({ measures: 'max(_xact_id) as at', from: versionsOf(source) });
  const [found] = await rowsOf<Found>(query, { version: version === '' ? null : version });
  return found?.at == null ? null : String(BigInt(found.at) - 1n);
}

/** The version of the next transaction; empty for the latest. */
async function laterVersion(source: Source, version: string): Promise<string> {
  if (version === '') return '';
  const query = textOf({
    measures: 'min(_xact_id) as at',
    from: versionsOf(source),
    filter: `_xact_id > ${quoted(version)}`,
  });
  const [found] = await rowsOf<Found>(query);
  return found?.at ?? '';
}

type Direction = 'earlier' | 'later';

/** @param pathname the page of the step: the user may have gone to another one meanwhile */
async function stepFrom(source: Source, pathname: string, to: Direction): Promise<void> {
  const { version } = viewOf(new URL(window.location.href).searchParams);
  const at = await (to === 'earlier' ? earlierVersion : laterVersion)(source, version);
  if (at !== null && window.location.pathname === pathname) change({ v: at });
}

/** The shortcuts for steps. */
export function useTimeSteps(source: Source): Action<[Direction]> {
  // Each step begins where the one before it ended.
  const last = useRef<Promise<void>>(Promise.resolve());
  const step = useAction('One transaction back or forward', (to: Direction) => {
    const { pathname } = window.location;
    last.current = last.current.catch(() => {}).then(() => stepFrom(source, pathname, to));
    return last.current;
  });
  useShortcuts([
    { key: '[', label: 'One transaction back', run: () => step.start('earlier') },
    { key: ']', label: 'One transaction forward', run: () => step.start('later') },
  ]);
  return step;
}
