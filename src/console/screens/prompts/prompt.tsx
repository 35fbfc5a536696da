// The versions of one prompt: what each holds, what differs between two, and the way back to an earlier one.
import { useQueryClient } from '@tanstack/react-query';
import { ActionError, useAction } from '../../app/action.js';
import { timeText } from '../../app/format.js';
import { hrefWith, Link, useHref } from '../../app/location.js';
import { Empty, Failure, Loading } from '../../app/states.js';
import type { RawRow } from '../../json/scan.js';
import type { Project } from '../../server/objects.js';
import { WordDiff } from '../compare/word-diff.js';
import type { PathInProject } from '../objects/datasets.js';
import { Value } from '../value/value.js';
import {
  contentOf,
  contentText,
  field,
  restore,
  useVersions,
  versionOf,
  writtenAt,
} from './versions.js';

interface PromptProps {
  readonly project: Project;
  readonly slug: string;
  readonly path: PathInProject;
}

interface VersionListProps {
  /** The newest first. */
  readonly versions: readonly RawRow[];
  readonly shown: RawRow;
  /** Null when none is compared with. */
  readonly before: RawRow | null;
}

function VersionList({ versions, shown, before }: VersionListProps) {
  const href = useHref();
  return (
    <ol className="versions panel" reversed>
      {versions.map((row, index) => {
        const version = versionOf(row);
        const isShown = row === shown;
        return (
          <li key={version}>
            <Link
              href={hrefWith(href, { to: version })}
              aria-current={isShown ? 'true' : undefined}
              title={version}
            >
              Version {versions.length - index}
              <span className="muted"> {timeText(writtenAt(row))}</span>
            </Link>
            {!isShown && (
              <Link
                className="button small"
                aria-current={row === before ? 'true' : undefined}
                href={hrefWith(href, { from: row === before ? null : version })}
              >
                {row === before ? 'compared' : 'compare'}
              </Link>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function RestoreButton({ project, row }: { readonly project: Project; readonly row: RawRow }) {
  const client = useQueryClient();
  const { isBusy, error, start } = useAction(async () => {
    await restore(project, row);
    await client.invalidateQueries({ queryKey: ['prompts', project.id] });
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

function Versions({ project, versions }: { project: Project; versions: readonly RawRow[] }) {
  const { searchParams } = useHref();
  const find = (name: string) =>
    versions.find((row) => versionOf(row) === searchParams.get(name)) ?? null;
  const [newest] = versions;
  const shown = find('to') ?? newest!;
  const before = find('from');
  const isCompared = before !== null && before !== shown;
  return (
    <div className="page">
      <header>
        <h1>{field(newest!, 'name')}</h1>
        <code>{field(newest!, 'slug')}</code>
        {shown !== newest && <RestoreButton project={project} row={shown} />}
      </header>
      <div className="prompt">
        <VersionList versions={versions} shown={shown} before={isCompared ? before : null} />
        <section aria-label="Content">
          {isCompared ? (
            <WordDiff before={contentText(before)} after={contentText(shown)} />
          ) : (
            <Value label="Content" raw={contentOf(shown)} />
          )}
        </section>
      </div>
    </div>
  );
}

export default function PromptScreen({ project, slug }: PromptProps) {
  const versions = useVersions(project);
  if (versions.error && versions.data === undefined)
    return <Failure error={versions.error} retry={versions.refetch} />;
  if (versions.data === undefined) return <Loading />;
  const { rows } = versions.data;
  const newest =
    rows.find((row) => field(row, 'slug') === slug) ??
    rows.find((row) => field(row, 'id') === slug);
  const own = rows.filter((row) => row.get('id') === newest?.get('id'));
  if (own.length === 0) return <Empty isPage title={`There is no prompt “${slug}” here`} />;
  return <Versions project={project} versions={own} />;
}
