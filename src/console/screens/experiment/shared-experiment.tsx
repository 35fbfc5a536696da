// A public experiment for those who may not read its project: its scores and traces, read-only.
import { useEffect } from 'react';
import { change, useHref, useVersion } from '../../kit/location.js';
import { Empty, Failure } from '../../kit/states.js';
import type { Experiment } from '../../server/objects.js';
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

export function SharedExperiment({ experiment }: { readonly experiment: Experiment }) {
  const source = { kind: 'experiment', id: experiment.id } as const;
  useRowOfLink();
  useEffect(() => {
    document.title = `${experiment.name} · Evalstore`;
  }, [experiment.name]);
  return (
    <RowsView
      source={source}
      label={`Traces of ${experiment.name}`}
      workbench={null}
      whenEmpty={<Empty title="No events yet" />}
    >
      <Scores experiment={experiment} />
      <NamedRow source={source} />
    </RowsView>
  );
}
