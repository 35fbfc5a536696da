// The newest experiment of a project, with its scores and their differences from the experiment that it is compared with.
import { scoreText, signedText } from '../../kit/format.js';
import { Link, nameInPath } from '../../kit/location.js';
import { Failure } from '../../kit/states.js';
import { useVisible } from '../../kit/use-visible.js';
import { useNewestExperiment, type Experiment, type Project } from '../../server/objects.js';
import { standingsOf, toneOf, useSummary, type ScoreStanding } from '../experiment/summary.js';

/** The page of the experiment shows all scores. */
const scoresMax = 2;

const Score = ({ score }: { readonly score: ScoreStanding }) => (
  <span>
    {score.name} {scoreText(score.score)}
    {typeof score.diff === 'number' && (
      <span className={toneOf(score)}> {signedText(score.diff)}</span>
    )}
  </span>
);

function Scores({ experiment }: { readonly experiment: Experiment }) {
  const { data, error, refetch } = useSummary(experiment.id, null, { isRefreshed: false });
  if (error) return <Failure error={error} retry={refetch} />;
  if (data === undefined) return null;
  const scores = standingsOf(data);
  const others = scores.length - scoresMax;
  return (
    <span
      className="newest-scores muted"
      title={
        data.comparison_experiment_name === null
          ? undefined
          : `Compared with ${data.comparison_experiment_name}`
      }
    >
      {scores.slice(0, scoresMax).map((score) => (
        <Score key={score.name} score={score} />
      ))}
      {others > 0 && <span>+{others} more</span>}
    </span>
  );
}

interface NewestExperimentProps {
  readonly project: Project;
  /** The URL of an experiment by its name in a path. */
  readonly hrefOf: (name: string) => string;
}

/** Reads it once, when it becomes visible, since a list of projects can be long. */
export function NewestExperiment({ project, hrefOf }: NewestExperimentProps) {
  const [cell, isVisible] = useVisible<HTMLTableCellElement>();
  const { data: experiment, error, refetch } = useNewestExperiment(project, isVisible);
  return (
    <td ref={cell} className="newest">
      {error && <Failure error={error} retry={refetch} />}
      {experiment === undefined && !error && '…'}
      {experiment === null && '–'}
      {experiment && (
        <>
          <Link href={hrefOf(nameInPath(experiment))}>{experiment.name}</Link>
          <Scores experiment={experiment} />
        </>
      )}
    </td>
  );
}
