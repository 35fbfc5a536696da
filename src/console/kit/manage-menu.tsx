// Renames or deletes a project, an experiment, a dataset or a prompt.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listKey, type NamedObject, type ObjectKind } from '../server/objects.js';
import { readJson, send } from '../server/request.js';
import { Confirm } from './confirm.js';
import { InlineForm } from './inline-form.js';
import { Popover } from './popover.js';

/** What is deleted with an object. */
const contents: Readonly<Record<ObjectKind, string>> = {
  project: 'its logs, experiments, datasets and prompts',
  experiment: 'its traces',
  dataset: 'its records',
  prompt: 'its versions',
};

type Named = Pick<NamedObject, 'id' | 'name'>;

interface ManageMenuProps {
  readonly kind: ObjectKind;
  readonly object: Named;
  /** Null for a project. */
  readonly projectId: string | null;
  /** Called with the object under its new name. */
  readonly renamed?: (object: Named) => void;
  readonly deleted?: () => void;
}

export function ManageMenu({ kind, object, projectId, renamed, deleted }: ManageMenuProps) {
  const client = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const path = `/v1/${kind}/${encodeURIComponent(object.id)}`;
  const queryKey = listKey(kind, projectId);

  // Changes the list at once, since screens look up the name of the URL in it.
  const update = (next: (one: NamedObject) => readonly NamedObject[]) => {
    client.setQueryData<readonly NamedObject[]>(queryKey, (objects) =>
      objects?.flatMap((one) => (one.id === object.id ? next(one) : [one])),
    );
    void client.invalidateQueries({ queryKey });
  };

  const rename = async (form: HTMLFormElement) => {
    const name = (new FormData(form).get('name') as string).trim();
    const next = await readJson<NamedObject>(path, { method: 'PATCH', body: { name } });
    // An element of a list can have another form than the answer.
    update((one) => [{ ...one, name: next.name }]);
    renamed?.(next);
  };

  const remove = async () => {
    await send(path, { method: 'DELETE' });
    update(() => []);
    deleted?.();
  };

  return (
    <>
      <Popover label="Manage ▾" title={`Rename or delete “${object.name}”`}>
        {(close) => (
          <div className="fields">
            <InlineForm
              action="Rename"
              title={`Rename the ${kind}`}
              run={async (form) => {
                await rename(form);
                close();
              }}
            >
              <input
                name="name"
                aria-label={`Name of the ${kind}`}
                defaultValue={object.name}
                autoComplete="off"
                spellCheck={false}
                required
              />
            </InlineForm>
            <button
              type="button"
              className="danger"
              onClick={() => {
                close();
                setDeleting(true);
              }}
            >
              Delete …
            </button>
          </div>
        )}
      </Popover>
      {isDeleting && (
        <Confirm
          title={`Delete the ${kind}`}
          action="Delete"
          typed={object.name}
          run={remove}
          close={() => setDeleting(false)}
        >
          <p>
            The {kind} “{object.name}” and {contents[kind]} can no longer be read, by anyone. This
            cannot be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}
