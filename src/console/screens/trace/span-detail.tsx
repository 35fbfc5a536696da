// A span with all of its fields, exactly as stored.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CopyButton } from '../../kit/copy.js';
import { QueryState } from '../../kit/states.js';
import { objectText, type RawRow } from '../../json/scan.js';
import { quoted, sourceText, textOf, type Source } from '../../server/clauses.js';
import { rawRowsOf } from '../../server/query.js';
import { sharedExperiment } from '../../server/shared.js';
import { Value } from '../value/value.js';
import { RecordActions } from '../records/record-actions.js';
import { SpanActions } from './span-actions.js';

interface SpanDetailProps {
  readonly source: Source;
  readonly id: string;
  readonly version: string | null;
  /** The transaction that wrote it; empty if it is not in the trace. */
  readonly revision: string;
}

/** Fields with their own sections, in order, unless they are empty; the others share a section. */
const first = ['error', 'input', 'output', 'expected', 'scores', 'metadata', 'tags', 'metrics'];

const isEmpty = (raw: string): boolean => /^(null|[[{]\s*[\]}])$/.test(raw);

const fieldsOf = (row: RawRow): readonly string[] =>
  first.filter((name) => !isEmpty(row.get(name) ?? 'null'));

const otherFields = (row: RawRow, shown: readonly string[]): RawRow =>
  new Map([...row].filter(([name, raw]) => !shown.includes(name) && raw !== 'null'));

const Field = ({
  name,
  raw,
  isOpen = true,
}: {
  readonly name: string;
  readonly raw: string;
  readonly isOpen?: boolean;
}) => (
  <details className="field-section" open={isOpen}>
    <summary>
      <h3>{name}</h3>
    </summary>
    <Value label={name} raw={raw} isBad={name === 'error'} />
  </details>
);

export function SpanDetail({ source, id, version, revision }: SpanDetailProps) {
  const query = textOf({
    select: '*',
    from: sourceText(source),
    filter: `id = ${quoted(id)}`,
    preview_length: '-1',
  });
  const span = useQuery({
    queryKey: ['span', query, version, revision],
    queryFn: ({ signal }) => rawRowsOf(query, { version, signal }),
    staleTime: Infinity,
    // A span can have megabytes.
    gcTime: 10_000,
    placeholderData: keepPreviousData,
  });
  if (span.data === undefined) return <QueryState query={span} />;
  const row = span.data.rows[0];
  if (row === undefined) return <p className="loading">This span no longer exists.</p>;
  const fields = fieldsOf(row);
  return (
    <div className="span-detail" data-span-detail={id} tabIndex={0} role="region" aria-label="Span">
      {version === null &&
        sharedExperiment() === null &&
        (source.kind === 'dataset' ? (
          <RecordActions source={source} id={id} row={row} revision={revision} />
        ) : (
          <SpanActions source={source} id={id} row={row} />
        ))}
      {fields.map((name) => (
        <Field key={name} name={name} raw={row.get(name)!} />
      ))}
      <Field name="other fields" raw={objectText(otherFields(row, fields))} isOpen={false} />
      <CopyButton label="Copy the row as JSON" text={objectText(row)} />
    </div>
  );
}
