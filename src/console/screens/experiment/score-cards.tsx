// The scores of an experiment beside those of another one, with the intervals of the differences on one scale.
import { countText, metricText, numberText, scoreText, signedText } from '../../kit/format.js';
import { Link } from '../../kit/location.js';
import { Failure } from '../../kit/states.js';
import { Distribution, type useDistributions } from './distribution.js';
import {
  excludesZero,
  standingsOf,
  toneOf,
  type MetricSummary,
  type ScoreStanding,
  type Summary,
} from './summary.js';

/** With fewer pairs the interval is shown with a warning. */
const pairsMin = 30;

interface ScoreCardsProps {
  readonly summary: Summary;
  /** Whether it is that of the filter or comparison before. */
  readonly isStale?: boolean;
  readonly distributions: ReturnType<typeof useDistributions>;
  /** Ids of the experiment and of the one that it is compared with, if any. */
  readonly experiments: readonly string[];
  /** The URL of the inputs that became better or worse; null without a comparison. */
  readonly hrefOf: ((score: string, direction: 'up' | 'down') => string) | null;
}

const hasInterval = (score: ScoreStanding): boolean =>
  typeof score.diff_low === 'number' && typeof score.diff_high === 'number';

/** The interval as a line, with its bounds as numbers beside it. */
function Interval({ score, reach }: { readonly score: ScoreStanding; readonly reach: number }) {
  const at = (value: number) => 50 + (Math.max(-reach, Math.min(reach, value)) / reach) * 48;
  const [low, high] = [at(score.diff_low ?? 0), at(score.diff_high ?? 0)];
  const colour = { good: 'var(--good)', bad: 'var(--bad)', open: 'var(--ink-3)' }[toneOf(score)];
  return (
    <svg className="interval" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
      <line x1="0" x2="100" y1="6" y2="6" stroke="var(--border)" strokeWidth="1" />
      <line x1="50" x2="50" y1="0" y2="12" stroke="var(--ink-3)" strokeWidth="0.5" />
      <line x1={low} x2={high} y1="6" y2="6" stroke={colour} strokeWidth="3" />
      <rect x={at(score.diff ?? 0) - 0.6} y="1" width="1.2" height="10" fill={colour} />
    </svg>
  );
}

const Changes = ({ score, hrefOf }: { score: ScoreStanding } & Pick<ScoreCardsProps, 'hrefOf'>) => {
  const { name, improvements, regressions } = score;
  if (hrefOf === null) return null;
  return (
    <span className="changes">
      <Link
        className="good"
        href={hrefOf(name, 'up')}
        aria-label={countText(improvements, 'improvement')}
      >
        {numberText(improvements)} ▲
      </Link>
      <Link
        className="bad"
        href={hrefOf(name, 'down')}
        aria-label={countText(regressions, 'regression')}
      >
        {numberText(regressions)} ▼
      </Link>
    </span>
  );
};

function ScoreRow({
  score,
  reach,
  hrefOf,
  distributions,
  experiments: [experiment = '', other = ''],
}: { score: ScoreStanding; reach: number } & Omit<ScoreCardsProps, 'summary'>) {
  const isCompared = typeof score.diff === 'number';
  const values = distributions.data?.get(score.name);
  return (
    <tr>
      <th scope="row" className="cut">
        {score.name}
      </th>
      <td className="number big">{scoreText(score.score)}</td>
      {hrefOf !== null && (
        <>
          <td className={`number ${toneOf(score)}`}>{isCompared ? signedText(score.diff) : '–'}</td>
          <td className="number">
            {hasInterval(score)
              ? `[${scoreText(score.diff_low)}, ${scoreText(score.diff_high)}]`
              : '–'}
          </td>
          <td>{hasInterval(score) && <Interval score={score} reach={reach} />}</td>
          <td>
            {isCompared && <Changes score={score} hrefOf={hrefOf} />}
            {isCompared && (score.diff_count ?? 0) < pairsMin && (
              <span
                className="chip"
                title={`Fewer than ${pairsMin} inputs are in both experiments`}
              >
                {countText(score.diff_count ?? 0, 'pair')} only
              </span>
            )}
          </td>
        </>
      )}
      <td>
        {values?.has(experiment) === true && (
          <Distribution
            label={`Traces by ${score.name}`}
            values={values.get(experiment)!}
            base={values.get(other) ?? null}
            isStale={distributions.isPlaceholderData}
          />
        )}
      </td>
    </tr>
  );
}

const Metrics = ({ metrics }: { readonly metrics: readonly MetricSummary[] }) => (
  <dl className="metrics">
    {metrics.map(({ name, metric, unit, diff }) => (
      <div key={name}>
        <dt>{name.replaceAll('_', ' ')}</dt>
        <dd>
          {metric === null ? '–' : metricText(metric, unit)}
          {typeof diff === 'number' && diff !== 0 && (
            <span className="muted">
              {' '}
              {diff > 0 ? '+' : '−'}
              {metricText(Math.abs(diff), unit)}
            </span>
          )}
        </dd>
      </div>
    ))}
  </dl>
);

const isShown = ({ metric, diff }: MetricSummary): boolean =>
  metric !== null && (metric !== 0 || (diff ?? 0) !== 0);

/** The expected number of significant differences by chance. */
function chanceText(scores: readonly ScoreStanding[]): string | null {
  const tested = scores.filter(hasInterval);
  if (tested.length < 2) return null;
  const found = tested.filter(excludesZero).length;
  const expected = (tested.length / 20).toFixed(tested.length < 20 ? 2 : 1);
  return `${found} of ${tested.length} intervals exclude 0; about ${expected} would by chance.`;
}

export function ScoreCards({ summary, isStale = false, ...rest }: ScoreCardsProps) {
  const scores = standingsOf(summary);
  const reach = Math.max(
    0.01,
    ...scores.flatMap(({ diff_low, diff_high }) => [
      Math.abs(diff_low ?? 0),
      Math.abs(diff_high ?? 0),
    ]),
  );
  const metrics = Object.values(summary.metrics).filter(isShown);
  const chance = chanceText(scores);
  return (
    <div
      className={isStale ? 'summary scroll-x stale' : 'summary scroll-x'}
      aria-busy={isStale}
      tabIndex={0}
      role="region"
      aria-label={`Summary of ${summary.experiment_name}`}
    >
      {scores.length > 0 ? (
        <table className="scores">
          <thead>
            <tr>
              <th>Score</th>
              <th className="number">Mean</th>
              {rest.hrefOf !== null && (
                <>
                  <th className="number">Difference</th>
                  <th className="number">95 % interval</th>
                  <th>
                    <span className="hidden">Interval as a line</span>
                  </th>
                  <th>Better, worse</th>
                </>
              )}
              <th>Distribution</th>
            </tr>
          </thead>
          <tbody>
            {scores.map((score) => (
              <ScoreRow key={score.name} score={score} reach={reach} {...rest} />
            ))}
          </tbody>
        </table>
      ) : (
        <p className="muted">No scores yet.</p>
      )}
      {rest.distributions.error && (
        <Failure error={rest.distributions.error} retry={rest.distributions.refetch} />
      )}
      {chance !== null && <p className="muted">{chance}</p>}
      {metrics.length > 0 && <Metrics metrics={metrics} />}
    </div>
  );
}
