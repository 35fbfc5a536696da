// The query behind a view, to be run elsewhere or saved as a file.
import { useState } from 'react';
import { ActionError, useAction } from '../../app/action.js';
import { CopyButton } from '../../app/copy.js';
import { Dialog } from '../../app/dialog.js';
import { Link } from '../../app/location.js';
import { fileOf, type FileFormat } from '../../server/query.js';
import { curlOf, javascriptOf, pythonOf } from './programs.js';

interface QueryDialogProps {
  readonly query: string;
  readonly version: string | null;
  /** Of the workbench with this query. */
  readonly workbench: string;
  readonly close: () => void;
}

const formats: readonly FileFormat[] = ['parquet', 'csv', 'jsonl', 'arrow'];

const programs = [
  ['curl', curlOf],
  ['Python', pythonOf],
  ['JavaScript', javascriptOf],
] as const;

/** Saves what the query answers as a file. */
export async function download(
  query: string,
  format: FileFormat,
  version: string | null,
): Promise<void> {
  const file = URL.createObjectURL(await fileOf(query, format, { version }));
  const link = document.createElement('a');
  link.href = file;
  link.download = `rows.${format}`;
  link.click();
  // The browser has taken it over by then.
  setTimeout(() => URL.revokeObjectURL(file), 60_000);
}

export function DownloadButtons({ query, version }: Pick<QueryDialogProps, 'query' | 'version'>) {
  const [saved, setSaved] = useState<FileFormat | null>(null);
  const { isBusy, error, start } = useAction((format: FileFormat) => {
    setSaved(format);
    return download(query, format, version);
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

export function QueryDialog({ query, version, workbench, close }: QueryDialogProps) {
  return (
    <Dialog title="The query of this view" close={close}>
      <div className="snippet">
        <pre tabIndex={0} data-testid="query-text">
          {query}
        </pre>
        <CopyButton text={query} />
      </div>
      <div className="inline-form">
        <span>Copy as</span>
        {programs.map(([label, write]) => (
          <CopyButton key={label} label={label} text={write(query, version)} />
        ))}
        <Link href={workbench}>Edit in the workbench</Link>
      </div>
      <p style={{ margin: 'var(--space-3) 0' }} className="muted">
        {version === null
          ? 'It reads the latest data.'
          : `It reads version ${version}, the one that is on the screen.`}
      </p>
      <DownloadButtons query={query} version={version} />
    </Dialog>
  );
}
