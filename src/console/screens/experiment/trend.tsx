// The means of a score from the oldest experiment to the newest, as a line.

interface TrendProps {
  readonly label: string;
  /** Null for an experiment without the score. */
  readonly means: readonly (number | null)[];
}

const width = 100;
const height = 24;
const margin = 2;

export function Trend({ label, means }: TrendProps) {
  const known = means.filter((mean) => mean !== null);
  if (known.length < 2) return null;
  const least = Math.min(...known);
  const range = Math.max(...known) - least || 1;
  const points = known.map((mean, index) => {
    const x = margin + (index / (known.length - 1)) * (width - 2 * margin);
    return `${x},${height - margin - ((mean - least) / range) * (height - 2 * margin)}`;
  });
  return (
    <svg
      className="trend"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--accent)"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
