// How long events are kept: the default of the organisation, and the days of a project with what the next run removes.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bytesText, countText, timeText } from '../../kit/format.js';
import { InlineForm } from '../../kit/inline-form.js';
import { QueryState } from '../../kit/states.js';
import { useIdentity, useProjects } from '../../server/objects.js';
import {
  retentionKeys,
  setRetentionDays,
  useDryRun,
  useRetentionDays,
  type DryRun,
  type Subject,
} from '../../server/retention.js';

interface DaysProps {
  readonly subject: Subject;
  readonly label: string;
  /** What no days mean. */
  readonly without: string;
}

function Days({ subject, label, without }: DaysProps) {
  const client = useQueryClient();
  const days = useRetentionDays(subject);
  const save = async (form: HTMLFormElement) => {
    const text = new FormData(form).get('days') as string;
    await setRetentionDays(subject, text === '' ? null : Number(text));
    await client.invalidateQueries({ queryKey: retentionKeys });
  };
  return (
    <>
      <QueryState query={days} />
      {days.data !== undefined && (
        <InlineForm key={`${subject.id} ${days.data}`} action="Save" title={label} run={save}>
          <input
            name="days"
            type="number"
            min={1}
            max={36_500}
            aria-label={label}
            placeholder={without}
            defaultValue={days.data ?? ''}
          />
          days
        </InlineForm>
      )}
    </>
  );
}

function dryRunText({ cutoff, rows, bytes }: DryRun): string {
  if (cutoff === null) return 'Nothing expires.';
  const time = timeText(cutoff);
  if (rows === 0) return `The next run removes nothing: no trace is older than ${time}.`;
  return `The next run removes ${countText(rows, 'row version')}, ${bytesText(bytes)}, older than ${time}.`;
}

function NextRun({ projectId }: { readonly projectId: string }) {
  const dryRun = useDryRun(projectId);
  return (
    <>
      <QueryState query={dryRun} />
      {dryRun.data && <p>{dryRunText(dryRun.data)}</p>}
    </>
  );
}

function OfProject() {
  const projects = useProjects();
  const [chosen, setChosen] = useState<string | null>(null);
  const id = chosen ?? projects.data?.[0]?.id;
  return (
    <>
      <QueryState query={projects} />
      {id !== undefined && (
        <>
          <select aria-label="Project" value={id} onChange={(e) => setChosen(e.target.value)}>
            {projects.data?.map((project) => (
              <option key={project.id} value={project.id}>
                {project.name}
              </option>
            ))}
          </select>
          <Days
            subject={{ kind: 'project', id }}
            label="Days of the project"
            without="as the organisation"
          />
          <NextRun projectId={id} />
        </>
      )}
    </>
  );
}

export function Retention() {
  const identity = useIdentity();
  return (
    <>
      <header>
        <h1>Retention</h1>
      </header>
      <p>
        Traces whose newest row is older are removed for good: of the logs, unless the settings of
        the project name experiments or datasets.
      </p>
      <h2>Organisation</h2>
      <QueryState query={identity} />
      {identity.data && (
        <Days
          subject={{ kind: 'organization', id: identity.data.org_id }}
          label="Days of the organisation"
          without="never"
        />
      )}
      <h2>Project</h2>
      <OfProject />
    </>
  );
}
