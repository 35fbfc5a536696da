// A bar chart of the last days with errors marked; the numbers are beside it.
import { dayStarts } from './days.js';

interface Count {
  readonly rows: number;
  readonly errors: number;
}

interface SparkProps {
  readonly days: number;
  /** Counts by the start of the local day, in the spelling of the server. */
  readonly counts: ReadonlyMap<string, Count>;
  readonly label: string;
}

const width = 10;
const height = 24;

export function Spark({ days, counts, label }: SparkProps) {
  const byTime = new Map([...counts].map(([day, count]) => [Date.parse(day), count]));
  const most = Math.max(1, ...[...counts.values()].map(({ rows }) => rows));
  const scaled = (count: number) =>
    count === 0 ? 0 : Math.max(2, Math.round((count / most) * (height - 2)));
  return (
    <svg
      className="spark"
      viewBox={`0 0 ${days * width} ${height}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      {dayStarts(days, new Date()).map((day, index) => {
        const { rows = 0, errors = 0 } = byTime.get(day) ?? {};
        const [full, wrong] = [scaled(rows), scaled(errors)];
        return (
          <g key={day}>
            <rect
              x={index * width}
              y={height - 1}
              width={width - 2}
              height={1}
              fill="var(--border)"
            />
            <rect
              x={index * width}
              y={height - full}
              width={width - 2}
              height={full}
              fill="var(--bar)"
            />
            <rect
              x={index * width}
              y={height - wrong}
              width={width - 2}
              height={wrong}
              fill="var(--bar-bad)"
            />
          </g>
        );
      })}
    </svg>
  );
}
