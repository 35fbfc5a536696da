// A public experiment, for those who may not read its project: its scores and traces, read-only.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { KeysDialog } from '../../shell/keys-dialog.js';
import { change, useHref, useVersion } from '../../kit/location.js';
import { Logo } from '../../kit/logo.js';
import { useShortcuts } from '../../kit/shortcuts.js';
import { SignIn } from '../../shell/sign-in.js';
import { Empty, Failure, Loading } from '../../kit/states.js';
import type { Experiment } from '../../server/objects.js';
import { readJson, Refusal } from '../../server/request.js';
import { NamedRow } from '../rows/named-row.js';
import { RowsView } from '../rows/rows-view.js';
import { useDistributions } from './distribution.js';
import { ScoreCards } from './score-cards.js';
import { useSummary } from './summary.js';

/** The URL parameters of SDKs for a row, with those of the console. */
function useRowOfLink(): void {
  const row = useHref().searchParams.get('id');
  useEffect(() => {
    if (row !== null) change({ id: null, oid: row }, true);
  }, [row]);
}

function Scores({ experiment }: { readonly experiment: Experiment }) {
  const version = useVersion();
  const summary = useSummary(experiment.id, null, { version });
  const distributions = useDistributions([experiment.id], version);
  return (
    <div className="experiment-head">
      <h2 className="cut">{experiment.name}</h2>
      {(experiment.description ?? '') !== '' && <p>{experiment.description}</p>}
      {summary.error && <Failure error={summary.error} retry={summary.refetch} />}
      {summary.data && (
        <ScoreCards
          summary={summary.data}
          isStale={summary.isPlaceholderData}
          distributions={distributions}
          experiments={[experiment.id]}
          hrefOf={null}
        />
      )}
    </div>
  );
}

function Shown({ experiment, signIn }: { experiment: Experiment; signIn: () => void }) {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const source = { kind: 'experiment', id: experiment.id } as const;
  useRowOfLink();
  useShortcuts([{ key: '?', label: 'Show keyboard shortcuts', run: () => setHelpOpen(true) }]);
  useEffect(() => {
    document.title = `${experiment.name} · Evalstore`;
  }, [experiment.name]);
  return (
    <div className="shell wide">
      <header className="topbar">
        <span className="brand">
          <Logo /> Evalstore
        </span>
        <span className="crumbs">
          <span className="chip">Public experiment</span>
        </span>
        <button type="button" className="quiet" aria-label="Keys" onClick={() => setHelpOpen(true)}>
          ?
        </button>
        <button type="button" onClick={signIn}>
          Sign in
        </button>
      </header>
      <main className="main" id="main" tabIndex={-1}>
        <div className="screen">
          <RowsView
            source={source}
            label={`Traces of ${experiment.name}`}
            workbench={null}
            whenEmpty={<Empty title="No events yet" />}
          >
            <Scores experiment={experiment} />
            <NamedRow source={source} />
          </RowsView>
        </div>
      </main>
      {isHelpOpen && <KeysDialog close={() => setHelpOpen(false)} />}
    </div>
  );
}

/** The statuses of an experiment that is private, missing or none. */
const refusals = new Set([401, 403, 404]);

/** @param refused shown instead of a private or missing experiment */
export default function SharedExperiment({ id, refused }: { id: string; refused: ReactNode }) {
  const [isSigningIn, setSigningIn] = useState(false);
  const experiment = useQuery({
    queryKey: ['shared', id],
    queryFn: ({ signal }) =>
      readJson<Experiment>(`/v1/experiment/${encodeURIComponent(id)}`, { signal }),
  });
  const { error } = experiment;
  if (isSigningIn) return <SignIn />;
  if (error instanceof Refusal && refusals.has(error.status)) return refused;
  if (error) return <Failure error={error} retry={experiment.refetch} />;
  if (experiment.data === undefined) return <Loading />;
  if (!experiment.data.public) return refused;
  return <Shown experiment={experiment.data} signIn={() => setSigningIn(true)} />;
}
