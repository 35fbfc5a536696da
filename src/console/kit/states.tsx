// The states of a screen without content: waiting, empty, failed.
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { Refusal } from '../server/request.js';
import { CopyButton } from './copy.js';

/** The delay before a wait is shown, to avoid a flash of text. */
const quietMs = 150;

/** Screen readers read the text once, without the time, which changes. */
export function Loading({ onCancel }: { readonly onCancel?: () => void }) {
  const [elapsed, setElapsed] = useState(0);
  useEffect(() => {
    const started = performance.now();
    const timer = setInterval(() => setElapsed(performance.now() - started), quietMs);
    return () => clearInterval(timer);
  }, []);
  if (elapsed < quietMs) return <div className="loading" aria-busy="true" />;
  return (
    <div className="loading" role="status">
      Loading … {elapsed > 1000 && <span aria-hidden="true">{(elapsed / 1000).toFixed(1)} s</span>}
      {onCancel && elapsed > 1000 && (
        <button type="button" className="small" onClick={onCancel}>
          Cancel
        </button>
      )}
    </div>
  );
}

/** Counts down and retries, once per error. Screen readers read the time once. */
function Countdown({ error, retry }: { readonly error: Refusal; readonly retry: () => unknown }) {
  const [left, setLeft] = useState(error.retryAfter);
  const retryNow = useEffectEvent(retry);
  useEffect(() => {
    let seconds = error.retryAfter;
    setLeft(seconds);
    const timer = setInterval(() => {
      seconds -= 1;
      setLeft(seconds);
      if (seconds > 0) return;
      clearInterval(timer);
      retryNow();
    }, 1000);
    return () => clearInterval(timer);
  }, [error]);
  return (
    <p>
      Trying again in <span className="hidden">{error.retryAfter} s.</span>
      <span aria-hidden="true">{left} s.</span>
    </p>
  );
}

export function Failure({
  error,
  retry,
}: {
  readonly error: Error;
  readonly retry?: (() => unknown) | undefined;
}) {
  return (
    <div className="failure" role="alert">
      {error.message}
      {retry && error instanceof Refusal && error.retryAfter > 0 && (
        <Countdown error={error} retry={retry} />
      )}
      {retry && (
        <div>
          <button type="button" onClick={() => void retry()}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}

/** The state of a query that has no data yet: that it runs, or its error. A failed refresh shows its error beside the data. */
export const QueryState = ({
  query: { error, isLoading, refetch },
}: {
  readonly query: Pick<UseQueryResult, 'error' | 'isLoading' | 'refetch'>;
}) => (
  <>
    {error && <Failure error={error} retry={refetch} />}
    {isLoading && <Loading />}
  </>
);

export function Empty({
  title,
  isPage = false,
  children,
}: {
  readonly title: string;
  /** Whether it fills the page. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
}) {
  const Title = isPage ? 'h1' : 'h2';
  return (
    <div className="empty">
      <Title>{title}</Title>
      {children}
    </div>
  );
}

export const Snippet = ({ text }: { readonly text: string }) => (
  <div className="snippet">
    <pre tabIndex={0}>{text}</pre>
    <CopyButton text={text} />
  </div>
);
