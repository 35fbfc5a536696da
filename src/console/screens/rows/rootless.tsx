// A source whose traces have no root span: a service logs its part of a trace, for example, and the caller logs nothing.
import { useQuery } from '@tanstack/react-query';
import { change } from '../../kit/location.js';
import { Empty } from '../../kit/states.js';
import { sourceText, textOf, type Source } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';

/** The interval of checks for the first span, in milliseconds. */
const firstMs = 2_000;

/** Whether there is any span; reads until there is one. */
export function useHasSpans(source: Source, isBlank: boolean): boolean {
  const isWanted = isBlank && source.kind !== 'dataset';
  const query = textOf({ select: 'id', from: sourceText(source), limit: '1' });
  const spans = useQuery({
    queryKey: ['has-spans', query],
    queryFn: async ({ signal }) => (await rowsOf(query, { signal })).length > 0,
    enabled: isWanted,
    refetchInterval: ({ state }) => (state.data === true ? false : firstMs),
  });
  return isWanted && spans.data === true;
}

export const Rootless = () => (
  <Empty title="No trace has a root span">
    <p>All spans here have a parent that was not logged.</p>
    <p>
      <button type="button" onClick={() => change({ in: 'span' })}>
        Show these traces
      </button>
    </p>
  </Empty>
);
