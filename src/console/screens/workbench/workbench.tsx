// The query workbench: checks a query as the user types, runs it, and shows and exports the answer.
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { bytesText, countText, numberText } from '../../kit/format.js';
import { change, useHref, useVersion } from '../../kit/location.js';
import { Popover } from '../../kit/popover.js';
import { keyText, useShortcuts } from '../../kit/shortcuts.js';
import { Failure, Loading } from '../../kit/states.js';
import type { Project } from '../../server/objects.js';
import { quoted, textOf } from '../../server/clauses.js';
import { rawRowsOf, type RawAnswer } from '../../server/query.js';
import { DownloadButtons, QueryDialog } from '../rows/query-dialog.js';
import { VersionBanner } from '../rows/version-banner.js';
import { ExplanationDialog } from './explanation.js';
import { history, remember } from './history.js';
import { checkable, partsAt, positionOfError } from './check.js';
import { Results } from './results.js';

const firstQuery = ({ id }: Project): string =>
  textOf({
    select: 'id, created, input, output, scores',
    from: `project(${quoted(id)})`,
    limit: '50',
  });

/** The pause in typing before a check, in milliseconds. */
const pauseMs = 400;

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

/** The error of the query before it runs. */
function useCheck(text: string): Error | null {
  const paused = usePaused(text);
  const query = checkable(paused);
  const check = useQuery({
    queryKey: ['check', query],
    queryFn: ({ signal }) => rawRowsOf(query ?? '', { signal }),
    enabled: query !== null,
    retry: false,
  });
  return paused === text ? check.error : null;
}

function Problem({ text, error }: { readonly text: string; readonly error: Error }) {
  const place = positionOfError(error.message);
  const line = place === null ? undefined : text.split('\n')[place.line - 1];
  const [before, marked, after] = partsAt(line ?? '', place?.column ?? 1);
  return (
    <div className="problem" id="query-problem" role="alert">
      <p>{error.message}</p>
      {place !== null && line !== undefined && (
        <pre aria-hidden="true">
          {before}
          <mark>{marked === '' ? ' ' : marked}</mark>
          {after}
        </pre>
      )}
    </div>
  );
}

interface EditorProps {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly run: () => void;
  readonly error: Error | null;
}

function Editor({ text, setText, run, error }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useShortcuts([{ key: '/', label: 'Edit the query', run: () => field.current?.focus() }]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      run();
    }
    if (event.key === 'Escape') field.current?.blur();
  };
  return (
    <>
      <label className="hidden" htmlFor="query">
        Query
      </label>
      <textarea
        ref={field}
        id="query"
        className="mono"
        rows={Math.min(Math.max(text.split('\n').length + 1, 6), 20)}
        spellCheck={false}
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : 'query-problem'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {error !== null && <Problem text={text} error={error} />}
    </>
  );
}

const HistoryMenu = ({ choose }: { readonly choose: (text: string) => void }) => (
  <Popover label="History ▾">
    {(close) => (
      <ul className="choices">
        {history().length === 0 && <li className="muted">No queries in this browser yet.</li>}
        {history().map((text) => (
          <li key={text}>
            <button
              type="button"
              className="quiet history"
              onClick={() => {
                choose(text);
                close();
              }}
            >
              <code className="cut">{text.replaceAll(/\s+/g, ' ')}</code>
            </button>
          </li>
        ))}
      </ul>
    )}
  </Popover>
);

interface Ran {
  readonly query: string;
  readonly answer: RawAnswer;
  readonly elapsedMs: number;
}

const Facts = ({ ran }: { readonly ran: Ran }) => (
  <p className="muted" role="status">
    {countText(ran.answer.rows.length, 'row')} · {numberText(Math.round(ran.elapsedMs))} ms ·{' '}
    {bytesText(ran.answer.bytes)} · version {ran.answer.version}
    {ran.answer.cursor !== null && ' · more rows follow: raise the limit, or download them'}
  </p>
);

const Answer = ({ ran }: { readonly ran: Ran }) => (
  <>
    <div className="inline-form result-head">
      <Facts ran={ran} />
      <DownloadButtons query={ran.query} version={ran.answer.version} />
    </div>
    {ran.answer.warnings.map((warning) => (
      <p key={warning} className="banner">
        {warning}
      </p>
    ))}
    <Results rows={ran.answer.rows} />
  </>
);

export default function Workbench({ project }: { readonly project: Project }) {
  const href = useHref();
  const version = useVersion();
  const asked = href.searchParams.get('q');
  const [text, setText] = useState(asked ?? firstQuery(project));
  const [shown, setShown] = useState(asked);
  if (shown !== asked) {
    setShown(asked); // By Back, or by a run.
    setText(asked ?? firstQuery(project));
  }
  const [dialog, setDialog] = useState<'copy' | 'explanation' | null>(null);
  const aborter = useRef<AbortController | null>(null);
  const running = useMutation({
    mutationFn: async (query: string): Promise<Ran> => {
      aborter.current?.abort();
      aborter.current = new AbortController();
      const started = performance.now();
      const answer = await rawRowsOf(query, { version, signal: aborter.current.signal });
      remember(query);
      return { query, answer, elapsedMs: performance.now() - started };
    },
  });
  useEffect(() => () => aborter.current?.abort(), []);
  const check = useCheck(text);
  const { mutate, reset } = running;
  const run = () => {
    if (text === asked || text === '') mutate(text);
    else change({ q: text });
  };
  // The query of the URL runs at its version: that of a link, of Back, or a new one.
  useEffect(() => {
    if (asked === null) reset();
    else mutate(asked);
  }, [asked, version, mutate, reset]);
  const ended = running.variables === text ? running.error : null;
  const isCancelled = ended?.name === 'AbortError';
  const failure = isCancelled ? null : ended;
  const isMarked = failure !== null && positionOfError(failure.message) !== null;
  return (
    <div className="page workbench">
      <header>
        <h1>Query</h1>
        <a className="button quiet" href="../docs/language" target="_blank" rel="noreferrer">
          Reference
        </a>
        <HistoryMenu choose={setText} />
        <button type="button" onClick={() => setDialog('explanation')}>
          Explain
        </button>
        <button type="button" onClick={() => setDialog('copy')}>
          Copy as …
        </button>
        <button type="button" className="primary" onClick={run}>
          Run <kbd>{keyText('mod+⏎')}</kbd>
        </button>
      </header>
      <VersionBanner />
      <Editor
        text={text}
        setText={setText}
        run={run}
        error={isMarked ? failure : ended === null ? check : null}
      />
      {running.isPending && <Loading onCancel={() => aborter.current?.abort()} />}
      {isCancelled && (
        <p className="muted" role="status">
          Cancelled.
        </p>
      )}
      {failure !== null && !isMarked && <Failure error={failure} retry={run} />}
      {running.data && <Answer key={running.submittedAt} ran={running.data} />}
      {dialog === 'explanation' && (
        <ExplanationDialog query={text} version={version} close={() => setDialog(null)} />
      )}
      {dialog === 'copy' && (
        <QueryDialog
          query={text}
          version={version}
          workbench={href.pathname}
          close={() => setDialog(null)}
        />
      )}
    </div>
  );
}
