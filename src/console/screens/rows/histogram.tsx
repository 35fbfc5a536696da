// A histogram of rows over time, with a mark for the 95th percentile of their durations. Dragging selects a time range.
import { Fragment, useRef, useState, type PointerEvent } from 'react';
import { dayText, durationText, numberText, timeText } from '../../kit/format.js';
import { barStart, beginsAtMidnight, type Bucket } from './buckets.js';
import type { Count } from './use-rows.js';
import type { TimeRange } from './view.js';

interface HistogramProps {
  readonly bucket: Bucket;
  readonly counts: readonly Count[];
  /** Whether they are those of the view before. */
  readonly isStale: boolean;
  readonly choose: (range: TimeRange) => void;
}

const height = 36;

/** The start of a bar; only its day if the bars are days or longer. */
const startText = (time: number, bucket: Bucket): string =>
  beginsAtMidnight(bucket) ? dayText(time) : timeText(time);

interface Bar extends Count {
  readonly time: number;
}

const barsOf = (counts: readonly Count[]): readonly Bar[] =>
  counts.map((count) => ({ ...count, time: Date.parse(count.t) }));

interface BarsProps {
  readonly bars: readonly Bar[];
  readonly bucket: Bucket;
  /** The highest count. */
  readonly most: number;
  /** The highest percentile in seconds; 0 for none. */
  readonly slowest: number;
}

/** In units of the chart. */
const markHeight = 2;

function titleOf({ time, n, errors, p95 }: Bar, bucket: Bucket): string {
  const counts = `${startText(time, bucket)}: ${numberText(n)}, ${numberText(errors)} with errors`;
  return p95 === null ? counts : `${counts}, p95 ${durationText(p95)}`;
}

function Bars({ bars, bucket, most, slowest }: BarsProps) {
  const [, length] = bucket;
  const first = Math.min(...bars.map(({ time }) => time));
  const scaled = (count: number) => (count === 0 ? 0 : Math.max(1.5, (count / most) * height));
  const markAt = (seconds: number) =>
    (height - markHeight) * (1 - (slowest === 0 ? 0 : seconds / slowest));
  return bars.map((each) => {
    const { t, time, n, errors, p95 } = each;
    const x = Math.round((time - first) / length) + 0.1;
    const bar = (count: number) => ({
      x,
      y: height - scaled(count),
      width: 0.8,
      height: scaled(count),
    });
    return (
      <Fragment key={t}>
        <rect {...bar(n)} fill="var(--bar)">
          <title>{titleOf(each, bucket)}</title>
        </rect>
        {errors > 0 && <rect {...bar(errors)} fill="var(--bar-bad)" pointerEvents="none" />}
        {p95 !== null && (
          <rect
            className="duration"
            x={x}
            y={markAt(Math.max(p95, 0))}
            width={0.8}
            height={markHeight}
            fill="var(--ink-2)"
            pointerEvents="none"
          />
        )}
      </Fragment>
    );
  });
}

export function Histogram({ bucket, counts, isStale, choose }: HistogramProps) {
  const chart = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<readonly [number, number] | null>(null);
  const [, length] = bucket;
  const bars = barsOf(counts);
  const first = Math.min(...bars.map(({ time }) => time));
  const last = Math.max(...bars.map(({ time }) => time));
  const places = Math.round((last - first) / length) + 1;
  const most = Math.max(1, ...bars.map(({ n }) => n));
  const slowest = Math.max(0, ...bars.map(({ p95 }) => p95 ?? 0));
  const startOf = (place: number) => barStart(bucket, first, place);
  const placeAt = (event: PointerEvent) => {
    const box = chart.current!.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    return Math.min(Math.max(Math.floor(share * places), 0), places - 1);
  };
  if (places < 2) return null;
  const finish = () => {
    if (drag === null) return;
    const [from, to] = drag.toSorted((a, b) => a - b) as [number, number];
    setDrag(null);
    choose({ from: startOf(from), to: startOf(to + 1) });
  };
  return (
    <figure className={isStale ? 'histogram stale' : 'histogram'} aria-busy={isStale}>
      <svg
        ref={chart}
        viewBox={`0 0 ${places} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag([placeAt(event), placeAt(event)]);
        }}
        onPointerMove={(event) => drag !== null && setDrag([drag[0], placeAt(event)])}
        onPointerUp={finish}
        onPointerCancel={() => setDrag(null)}
      >
        <Bars bars={bars} bucket={bucket} most={most} slowest={slowest} />
        {drag !== null && (
          <rect
            x={Math.min(...drag)}
            y={0}
            width={Math.abs(drag[1] - drag[0]) + 1}
            height={height}
            fill="var(--accent)"
            opacity={0.25}
          />
        )}
      </svg>
      <figcaption className="muted">
        <span>{startText(first, bucket)}</span>
        <span>
          {numberText(most)} at most per {bucket[0]}
          {slowest > 0 && `, p95 of durations ${durationText(slowest)} at most`}
        </span>
        <span>{startText(startOf(places), bucket)}</span>
      </figcaption>
      <table className="hidden">
        <caption>Rows per {bucket[0]}</caption>
        <tbody>
          {bars.map(({ t, time, n, errors, p95 }) => (
            <tr key={t}>
              <th>{startText(time, bucket)}</th>
              <td>{n}</td>
              <td>{errors} with errors</td>
              <td>{p95 !== null && `p95 ${durationText(p95)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
