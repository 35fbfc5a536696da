// The query of a view, to copy as a program or to save its rows.
import { useState } from 'react';
import { ActionError, useAction } from '../../kit/action.js';
import { CopyButton } from '../../kit/copy.js';
import { Dialog } from '../../kit/dialog.js';
import { hrefWith, Link, useHref, useVersion } from '../../kit/location.js';
import { saveFile, type FileFormat } from '../../server/query.js';
import { curlOf, javascriptOf, pythonOf } from './programs.js';

interface QueryDialogProps {
  readonly query: string;
  readonly version: string | null;
  /** The path of the workbench; null without a key, which programs require. */
  readonly workbench: string | null;
  /** Metrics of the view that the query cannot read. */
  readonly missing?: readonly string[];
  readonly close: () => void;
}

const formats: readonly FileFormat[] = ['parquet', 'csv', 'jsonl', 'arrow'];

const programs = [
  ['curl', curlOf],
  ['Python', pythonOf],
  ['JavaScript', javascriptOf],
] as const;

export function DownloadButtons({ query, version }: Pick<QueryDialogProps, 'query' | 'version'>) {
  const [saved, setSaved] = useState<FileFormat | null>(null);
  const { isBusy, error, start } = useAction('Download', (format: FileFormat) => {
    setSaved(format);
    return saveFile(query, format, { version });
  });
  return (
    <div className="inline-form">
      <span>Download</span>
      {formats.map((format) => (
        <button
          key={format}
          type="button"
          className="small"
          disabled={isBusy}
          onClick={() => start(format)}
        >
          {isBusy && saved === format ? 'Saving …' : format}
        </button>
      ))}
      <ActionError error={error} />
    </div>
  );
}

export function QueryDialog(props: QueryDialogProps) {
  const { query, version, workbench, missing = [], close } = props;
  const href = useHref();
  const asked = useVersion();
  return (
    <Dialog title="The query of this view" close={close}>
      <div className="snippet">
        <pre tabIndex={0} data-testid="query-text">
          {query}
        </pre>
        <CopyButton text={query} />
      </div>
      {workbench !== null && (
        <div className="inline-form">
          <span>Copy as</span>
          {programs.map(([label, write]) => (
            <CopyButton key={label} label={label} text={write(query, version)} />
          ))}
          {workbench !== href.pathname && (
            <Link href={hrefWith(new URL(workbench, href), { q: query, v: asked })}>
              Edit in the workbench
            </Link>
          )}
        </div>
      )}
      <p style={{ margin: 'var(--space-3) 0' }} className="muted">
        {version === null
          ? 'It reads the latest data.'
          : `It reads version ${version}, the one on the screen.`}
      </p>
      {missing.length > 0 && (
        <p className="muted">
          Its rows are whole traces, which lack these values of their roots: {missing.join(', ')}.
        </p>
      )}
      <DownloadButtons query={query} version={version} />
    </Dialog>
  );
}
