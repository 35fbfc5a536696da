// A bar chart with a row of bars per numeric column; the table below has the numbers.
import { metricText } from '../../kit/format.js';
import type { Chart, Series } from './chart.js';

const height = 64;

function Bars({ series, chart }: { readonly series: Series; readonly chart: Chart }) {
  const numbers = series.values.filter((value) => value !== null);
  const low = Math.min(0, ...numbers);
  const high = Math.max(0, ...numbers);
  const reach = high - low || 1;
  const y = (value: number) => ((high - value) / reach) * height;
  return (
    <div className="bars">
      <h3>
        {series.name} <span className="muted">by {chart.by}</span>
        <span className="muted number">{metricText(high, '')}</span>
      </h3>
      <svg
        viewBox={`0 0 ${chart.labels.length} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {series.values.map(
          (value, index) =>
            value !== null && (
              <rect
                key={index}
                x={index + 0.1}
                width={0.8}
                y={Math.min(y(0), y(value))}
                height={Math.max(Math.abs(y(value) - y(0)), 0.5)}
                fill="var(--bar)"
              >
                <title>{`${chart.labels[index]}: ${value}`}</title>
              </rect>
            ),
        )}
      </svg>
    </div>
  );
}

export const BarChart = ({ chart }: { readonly chart: Chart }) => (
  <figure className="panel chart">
    {chart.series.map((series) => (
      <Bars key={series.name} series={series} chart={chart} />
    ))}
    <figcaption className="muted">
      <span className="cut">{chart.labels[0]}</span>
      <span className="cut">{chart.labels.at(-1)}</span>
    </figcaption>
  </figure>
);
