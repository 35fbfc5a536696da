// Makes an experiment public or private, and shows its link.
import { useQueryClient } from '@tanstack/react-query';
import { ActionError, useAction } from '../../kit/action.js';
import { pathOf } from '../../kit/location.js';
import { Popover } from '../../kit/popover.js';
import { Snippet } from '../../kit/states.js';
import { listKey, useIdentity, type Experiment } from '../../server/objects.js';
import { readJson } from '../../server/request.js';

function linkTo(organisation: string, id: string): string {
  const search = new URLSearchParams({ object_type: 'experiment', object_id: id });
  return `${window.location.origin}${pathOf(organisation, 'object')}?${search.toString()}`;
}

export function Share({ experiment }: { readonly experiment: Experiment }) {
  const client = useQueryClient();
  const organisation = useIdentity().data?.org_name ?? '';
  const { id, project_id, public: isPublic } = experiment;
  const action = isPublic ? 'Make private' : 'Make public';
  const { isBusy, error, start } = useAction(action, async () => {
    const body = { public: !isPublic };
    await readJson(`/v1/experiment/${id}`, { method: 'PATCH', body });
    await client.invalidateQueries({ queryKey: listKey('experiment', project_id) });
  });
  return (
    <Popover label={isPublic ? 'Public ▾' : 'Share ▾'}>
      {() => (
        <div className="share">
          <p>
            {isPublic
              ? 'Everyone with this link can read the experiment and all of its traces, without a key:'
              : 'Only members can read this experiment. If you make it public, everyone with its link can read it and all of its traces without a key, but no comments, audit entries and earlier versions.'}
          </p>
          {isPublic && <Snippet text={linkTo(organisation, id)} />}
          <button type="button" disabled={isBusy} onClick={start}>
            {action}
          </button>
          <ActionError error={error} />
        </div>
      )}
    </Popover>
  );
}
