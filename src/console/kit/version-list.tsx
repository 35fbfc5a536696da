// The list of versions of an object. The URL has the shown version, `to`, and the one to compare it with, `from`.
import { hrefWith, Link, useHref } from './location.js';

export interface ListedVersion {
  readonly id: string;
  readonly name: string;
  /** Secondary text. */
  readonly detail: string;
}

interface VersionListProps {
  /** Newest first. */
  readonly versions: readonly ListedVersion[];
  /** The id of the shown version. */
  readonly shown: string;
  /** The id of the version to compare with; null for none. */
  readonly compared: string | null;
}

export function VersionList({ versions, shown, compared }: VersionListProps) {
  const href = useHref();
  return (
    <ol className="versions panel" reversed>
      {versions.map(({ id, name, detail }) => (
        <li key={id}>
          <Link
            href={hrefWith(href, { to: id })}
            aria-current={id === shown ? 'true' : undefined}
            title={id}
          >
            {name}
            <span className="muted"> {detail}</span>
          </Link>
          {id !== shown && (
            <Link
              className="button small"
              aria-current={id === compared ? 'true' : undefined}
              href={hrefWith(href, { from: id === compared ? null : id })}
            >
              {id === compared ? 'compared' : 'compare'}
            </Link>
          )}
        </li>
      ))}
    </ol>
  );
}
