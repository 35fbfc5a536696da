// Shown in place of the rows when none matches.
import { change } from '../../kit/location.js';
import { Empty } from '../../kit/states.js';
import type { View } from './view.js';

/** A view without a filter and a time range is one of an earlier version. */
function titleOf({ filter, range }: View): string {
  const given = [
    filter === '' ? [] : ['the filter'],
    range === '' ? [] : ['the time range'],
  ].flat();
  return given.length === 0
    ? 'No rows to show in this version'
    : `No rows match ${given.join(' and ')}`;
}

export const NoMatch = ({ view }: { readonly view: View }) => (
  <Empty title={titleOf(view)}>
    {(view.filter !== '' || view.range !== '') && (
      <button type="button" onClick={() => change({ f: null, t: null })}>
        Show all rows
      </button>
    )}
  </Empty>
);
