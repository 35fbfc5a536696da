// Steps through the versions of a source, one transaction at a time.
import { useAction, type Action } from '../../app/action.js';
import { change } from '../../app/location.js';
import { useShortcuts } from '../../app/shortcuts.js';
import { quoted, sourceText, textOf, type Source } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';

interface Found {
  /** A transaction id; null if there are no rows. */
  readonly at: string | null;
}

/** The version before the last transaction; null if there is none. @param version empty for the latest */
async function earlierVersion(source: Source, version: string): Promise<string | null> {
  const query = textOf({ measures: 'max(_xact_id) as at', from: sourceText(source) });
  const [found] = await rowsOf<Found>(query, { version: version === '' ? null : version });
  return found?.at == null ? null : String(BigInt(found.at) - 1n);
}

/** The version of the next transaction of the current rows; empty for the latest. */
async function laterVersion(source: Source, version: string): Promise<string> {
  if (version === '') return '';
  const query = textOf({
    measures: 'min(_xact_id) as at',
    from: sourceText(source),
    filter: `_xact_id > ${quoted(version)}`,
  });
  const [found] = await rowsOf<Found>(query);
  return found?.at ?? '';
}

/** The shortcuts for steps. @param version empty for the latest */
export function useTimeSteps(source: Source, version: string): Action<['earlier' | 'later']> {
  const step = useAction(async (to: 'earlier' | 'later') => {
    const at = await (to === 'earlier' ? earlierVersion : laterVersion)(source, version);
    if (at !== null) change({ v: at });
  });
  useShortcuts([
    { key: '[', label: 'One transaction back', run: () => step.start('earlier') },
    { key: ']', label: 'One transaction forward', run: () => step.start('later') },
  ]);
  return step;
}
