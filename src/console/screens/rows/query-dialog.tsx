// The query behind a view, to be run elsewhere or saved as a file.
import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '../../app/copy.js';
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
  const [busy, setBusy] = useState<FileFormat | null>(null);
  const [error, setError] = useState<string | null>(null);
  const start = async (format: FileFormat) => {
    setBusy(format);
    setError(null);
    try {
      await download(query, format, version);
    } catch (refusal) {
      setError((refusal as Error).message);
    }
    setBusy(null);
  };
  return (
    <div className="inline-form">
      <span>Download</span>
      {formats.map((format) => (
        <button
          key={format}
          type="button"
          className="small"
          disabled={busy !== null}
          onClick={() => void start(format)}
        >
          {busy === format ? 'Saving …' : format}
        </button>
      ))}
      {error !== null && (
        <p className="bad" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

export function QueryDialog({ query, version, workbench, close }: QueryDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="query-title">
      <div className="dialog-head">
        <h1 id="query-title">The query of this view</h1>
        <button type="button" className="small" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
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
    </dialog>
  );
}
