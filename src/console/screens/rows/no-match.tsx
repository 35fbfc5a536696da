// Shown in place of the rows when none matches.
import { change } from '../../app/location.js';
import { Empty } from '../../app/states.js';
import type { View } from './view.js';

export const NoMatch = ({ view: { filter, range } }: { readonly view: View }) => (
  <Empty title="No rows match the filter and the time range">
    {(filter !== '' || range !== '') && (
      <button type="button" onClick={() => change({ f: null, t: null })}>
        Show all rows
      </button>
    )}
  </Empty>
);
