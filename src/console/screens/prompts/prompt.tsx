// The versions of a prompt: their content, the difference between two, and the restore of an earlier one.
import { useQueryClient } from '@tanstack/react-query';
import { ActionError, useAction } from '../../kit/action.js';
import { timeText } from '../../kit/format.js';
import { ManageMenu } from '../../kit/manage-menu.js';
import { go, Link, useHref } from '../../kit/location.js';
import { Empty, QueryState } from '../../kit/states.js';
import { VersionList } from '../../kit/version-list.js';
import type { RawRow } from '../../json/scan.js';
import { listKey, type Project } from '../../server/objects.js';
import { WordDiff } from '../value/word-diff.js';
import type { PathInProject } from '../objects/datasets.js';
import { Value } from '../value/value.js';
import {
  contentOf,
  contentText,
  field,
  logsParameters,
  restore,
  useAuthors,
  useVersions,
  versionOf,
  writtenAt,
} from './versions.js';
import { variablesOf } from './variables.js';

interface PromptProps {
  readonly project: Project;
  readonly slug: string;
  readonly path: PathInProject;
}

interface RestoreProps {
  readonly project: Project;
  readonly newest: RawRow;
  readonly earlier: RawRow;
}

function RestoreButton({ project, newest, earlier }: RestoreProps) {
  const client = useQueryClient();
  const { isBusy, error, start } = useAction('Restore this version', async () => {
    await restore(project, newest, earlier);
    await client.invalidateQueries({ queryKey: listKey('prompt', project.id) });
  });
  return (
    <>
      <button type="button" disabled={isBusy} onClick={start}>
        Restore this version
      </button>
      <ActionError error={error} />
    </>
  );
}

interface VersionsProps extends Pick<PromptProps, 'project' | 'path'> {
  readonly versions: readonly RawRow[];
}

function Versions({ project, versions, path }: VersionsProps) {
  const { searchParams } = useHref();
  const find = (name: string) =>
    versions.find((row) => versionOf(row) === searchParams.get(name)) ?? null;
  const [newest] = versions;
  const shown = find('to') ?? newest!;
  const before = find('from');
  const isCompared = before !== null && before !== shown;
  const authors = useAuthors(project, versions);
  const variables = variablesOf(shown.get('prompt_data') ?? '');
  return (
    <div className="page">
      <header>
        <h1>{field(newest!, 'name')}</h1>
        <code>{field(newest!, 'slug')}</code>
        <Link href={`${path('logs')}?${logsParameters(newest!)}`}>Logs of this prompt</Link>
        {shown !== newest && <RestoreButton project={project} newest={newest!} earlier={shown} />}
        <ManageMenu
          kind="prompt"
          object={{ id: field(newest!, 'id'), name: field(newest!, 'name') }}
          projectId={project.id}
          deleted={() => go(path('prompts'))}
        />
      </header>
      <div className="prompt">
        <VersionList
          versions={versions.map((row, index) => ({
            id: versionOf(row),
            name: `Version ${versions.length - index}`,
            detail:
              authors === null
                ? timeText(writtenAt(row))
                : `${timeText(writtenAt(row))} · ${authors[index]}`,
          }))}
          shown={versionOf(shown)}
          compared={isCompared ? versionOf(before) : null}
        />
        <section aria-label="Content">
          {isCompared ? (
            <WordDiff before={contentText(before)} after={contentText(shown)} />
          ) : (
            <>
              <p className="muted">
                {variables.length === 0 ? 'No variables' : `Variables: ${variables.join(', ')}`}
              </p>
              <Value label="Content" raw={contentOf(shown)} />
            </>
          )}
        </section>
      </div>
    </div>
  );
}

export default function PromptScreen({ project, slug, path }: PromptProps) {
  const versions = useVersions(project, slug);
  if (versions.data === undefined) return <QueryState query={versions} />;
  const { rows } = versions.data;
  if (rows.length === 0) return <Empty isPage title={`There is no prompt “${slug}” here`} />;
  return <Versions project={project} versions={rows} path={path} />;
}
