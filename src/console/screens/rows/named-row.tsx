// The row that a link of an SDK names.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { change, useHref } from '../../kit/location.js';
import { Failure } from '../../kit/states.js';
import { keyFieldOf, quoted, sourceText, textOf, type Source } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';

/** The interval of checks for a row that is not there, in milliseconds. */
const awaitedMs = 2_000;

/** `oid`, which SDKs print, is the id of a row or of its span. Opens its trace; SDKs can print it before they send the row. */
export function NamedRow({ source }: { readonly source: Source }) {
  const { searchParams } = useHref();
  const id = searchParams.get('oid');
  const isOtherOpen = searchParams.has('r');
  const found = useQuery({
    queryKey: ['named-row', source.id, id],
    queryFn: ({ signal }) =>
      rowsOf<{ id: string; key: string }>(
        textOf({
          select: `id, ${keyFieldOf(source)} as key`,
          from: sourceText(source),
          filter: `id = ${quoted(id!)} or span_id = ${quoted(id!)}`,
          // Spans of several traces may have the id.
          sort: `id = ${quoted(id!)} desc`,
          limit: '1',
        }),
        { signal },
      ),
    enabled: id !== null,
    refetchInterval: ({ state }) => !isOtherOpen && state.data?.length === 0 && awaitedMs,
  });
  const row = found.data?.[0];
  useEffect(() => {
    if (row !== undefined) change({ oid: null, r: row.key, s: row.id }, true);
  }, [row]);
  if (found.error && !isOtherOpen) return <Failure error={found.error} retry={found.refetch} />;
  if (id === null || isOtherOpen || found.data === undefined || row !== undefined) return null;
  return (
    <p className="banner" role="status">
      The row “{id}” is not here yet. It opens when it arrives.
    </p>
  );
}
