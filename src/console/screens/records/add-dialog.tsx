// Adds spans to a dataset, also to a new one.
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ActionError, useAction } from '../../kit/action.js';
import { Dialog } from '../../kit/dialog.js';
import { countText, numberText } from '../../kit/format.js';
import { Link, nameInPath } from '../../kit/location.js';
import type { Source } from '../../server/clauses.js';
import { createDataset, listKey, useDatasets, type NamedObject } from '../../server/objects.js';
import { QueryState } from '../../kit/states.js';
import { useProjectContext } from '../../kit/project-context.js';
import { newId } from '../../server/rows.js';
import { sessionSignal } from '../../server/session.js';
import { addToDataset } from './record.js';

interface AddDialogProps {
  readonly source: Source;
  /** The ids of the spans. */
  readonly ids: readonly string[];
  readonly close: () => void;
}

const newDataset = 'new';

const whatOf = (ids: readonly string[]): string =>
  ids.length === 1 ? 'the span' : `${numberText(ids.length)} rows`;

const titleOf = (ids: readonly string[]): string => `Add ${whatOf(ids)} to a dataset`;

interface AddFormProps extends Omit<AddDialogProps, 'close'> {
  readonly datasets: readonly NamedObject[];
}

function AddForm({ source, ids, datasets }: AddFormProps) {
  const { project, path } = useProjectContext();
  const client = useQueryClient();
  // Does not change with the list, which is read again while the form is open.
  const [id, setId] = useState(datasets[0]?.id ?? newDataset);
  const [done, setDone] = useState<{ dataset: NamedObject; added: number } | null>(null);
  const recordIds = useRef(new Map<string, string>());
  const idOfRecord = (span: string): string => {
    const known = recordIds.current.get(span) ?? newId();
    recordIds.current.set(span, known);
    return known;
  };
  const what = whatOf(ids);
  const { isBusy, error, start } = useAction(titleOf(ids), async (form: HTMLFormElement) => {
    const session = sessionSignal();
    const name = new FormData(form).get('name') as string;
    const dataset =
      id === newDataset
        ? await createDataset(project, name)
        : datasets.find((one) => one.id === id)!;
    session.throwIfAborted();
    const added = await addToDataset(source, ids, dataset.id, idOfRecord);
    await client.invalidateQueries({ queryKey: listKey('dataset', project.id) });
    await client.invalidateQueries({ queryKey: ['records'] });
    setDone({ dataset, added });
  });
  if (done !== null) {
    const isWhole = done.added === ids.length;
    return (
      <p className="dialog-body" role="status">
        Added {isWhole ? what : `${numberText(done.added)} of ${countText(ids.length, 'row')}`} to{' '}
        <Link href={path('datasets', nameInPath(done.dataset))} data-focus>
          {done.dataset.name}
        </Link>
        .{!isWhole && ' Rows that were deleted are not added.'}
      </p>
    );
  }
  return (
    <form
      className="fields dialog-body"
      onSubmit={(event) => {
        event.preventDefault();
        start(event.currentTarget);
      }}
    >
      <label className="field">
        <span>Dataset</span>
        <select
          data-focus
          autoFocus
          value={id}
          onChange={(event) => setId(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.currentTarget.form?.requestSubmit();
          }}
        >
          {datasets.map((dataset) => (
            <option key={dataset.id} value={dataset.id}>
              {dataset.name}
            </option>
          ))}
          <option value={newDataset}>New dataset …</option>
        </select>
      </label>
      {id === newDataset && (
        <label className="field">
          <span>Name of the new dataset</span>
          <input name="name" required autoComplete="off" />
        </label>
      )}
      <p className="muted">
        A record gets the input, the metadata and the tags of its span. What is expected is the{' '}
        <code>expected</code> of the span, or else its output.
      </p>
      <ActionError error={error} />
      <div className="inline-form end">
        <button type="submit" className="primary" disabled={isBusy}>
          Add
        </button>
      </div>
    </form>
  );
}

export function AddDialog({ source, ids, close }: AddDialogProps) {
  const datasets = useDatasets(useProjectContext().project);
  return (
    <Dialog title={titleOf(ids)} close={close}>
      {datasets.data === undefined ? (
        <QueryState query={datasets} />
      ) : (
        <AddForm source={source} ids={ids} datasets={datasets.data} />
      )}
    </Dialog>
  );
}
