// How the server reads a query: SQL, files and plan. The times of the plan are of a run of the query.
import { useQuery } from '@tanstack/react-query';
import { CopyButton } from '../../kit/copy.js';
import { Dialog } from '../../kit/dialog.js';
import { countText } from '../../kit/format.js';
import { Failure, Loading } from '../../kit/states.js';
import { explanationOf, type Statement } from '../../server/query.js';

const Text = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <section aria-label={label}>
    <h2>{label}</h2>
    <div className="snippet">
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} />
    </div>
  </section>
);

const textOf = ({ sources }: Statement): string =>
  sources
    .map(({ name, files, leaf_columns: columns }) =>
      [
        `${name}: ${files.length === 0 ? 'not read' : countText(files.length, 'file')}`,
        ...files.map((file) => `  ${file}`),
        ...(columns.length === 0 ? [] : [`  columns ${columns.join(', ')}`]),
      ].join('\n'),
    )
    .join('\n');

const Read = ({ statement }: { readonly statement: Statement }) => (
  <>
    <p className="muted">Engine for {statement.engine === 'small' ? 'small' : 'heavy'} queries</p>
    <Text label="Sources" text={textOf(statement) || 'no events'} />
    <Text label="Plan" text={statement.plan} />
    <Text label="SQL" text={statement.sql} />
    <Text label="Parameters" text={JSON.stringify(statement.parameters, null, 2)} />
  </>
);

interface ExplanationDialogProps {
  readonly query: string;
  readonly version: string | null;
  readonly close: () => void;
}

export function ExplanationDialog({ query, version, close }: ExplanationDialogProps) {
  const explained = useQuery({
    queryKey: ['explanation', query, version],
    queryFn: ({ signal }) => explanationOf(query, { version, signal }),
    retry: false,
    gcTime: 0,
  });
  return (
    <Dialog title="How the server reads this query" close={close}>
      {explained.isPending && <Loading />}
      {explained.error !== null && (
        <Failure error={explained.error} retry={() => void explained.refetch()} />
      )}
      {explained.data?.map((statement, index) => (
        <Read key={index} statement={statement} />
      ))}
    </Dialog>
  );
}
