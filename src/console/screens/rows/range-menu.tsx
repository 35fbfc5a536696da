// Menus of the time range and of the version to show.
import { useState } from 'react';
import { Popover } from '../../kit/popover.js';
import { timeText } from '../../kit/format.js';
import { timeOfVersion, versionAt } from '../../kit/version-time.js';
import { rangeOf } from './view.js';

const ranges = [
  ['', 'All time'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
] as const;

const edgeText = (time: number | null): string => (time === null ? '…' : timeText(time));

const labelOf = (range: string): string => {
  const usual = ranges.find(([value]) => value === range);
  if (usual !== undefined) return usual[1];
  const { from, to } = rangeOf(range, Date.now());
  return `${edgeText(from)} – ${edgeText(to)}`;
};

/** The value of a local time field. */
const fieldValue = (time: number | null): string =>
  time === null ? '' : timeText(time).replace(' ', 'T');

const instant = (value: FormDataEntryValue | null): string =>
  typeof value === 'string' && value !== '' ? new Date(value).toISOString() : '';

const TimeField = (props: { name: string; label: string; value: number | null }) => (
  <label className="field">
    <span>{props.label}</span>
    <input
      type="datetime-local"
      step="1"
      name={props.name}
      defaultValue={fieldValue(props.value)}
    />
  </label>
);

export function RangeMenu({
  range,
  choose,
}: {
  readonly range: string;
  readonly choose: (range: string) => void;
}) {
  const { from, to } = rangeOf(range, Date.now());
  return (
    <Popover label={`${labelOf(range)} ▾`} isPressed={range !== ''}>
      {(close) => (
        <>
          <ul className="choices">
            {ranges.map(([value, label]) => (
              <li key={value}>
                <button
                  type="button"
                  className="quiet"
                  aria-pressed={range === value}
                  onClick={() => {
                    choose(value);
                    close();
                  }}
                >
                  {label}
                </button>
              </li>
            ))}
          </ul>
          <form
            className="fields"
            onSubmit={(event) => {
              event.preventDefault();
              const data = new FormData(event.currentTarget);
              const chosen = `${instant(data.get('from'))}..${instant(data.get('to'))}`;
              choose(chosen === '..' ? '' : chosen);
              close();
            }}
          >
            <TimeField name="from" label="From" value={from} />
            <TimeField name="to" label="Until" value={to} />
            <button type="submit" className="primary">
              Apply
            </button>
          </form>
        </>
      )}
    </Popover>
  );
}

interface VersionMenuProps {
  readonly version: string;
  /** The time of the earliest row, ISO 8601; null if unknown. */
  readonly first: string | null;
  readonly choose: (version: string) => void;
}

/** The steps of the slider between the first row and now. */
const sliderSteps = 500;

function VersionForm({ version, first, choose, close }: VersionMenuProps & { close: () => void }) {
  const [now] = useState(Date.now);
  const shown = version === '' ? NaN : timeOfVersion(version);
  const [time, setTime] = useState(Number.isNaN(shown) ? now : shown);
  const [isMoved, setMoved] = useState(false);
  // The first row may become known while the menu is open. An earlier version may have no rows, so the slider keeps its range.
  const [earliest, setEarliest] = useState(time);
  if (first !== null && Date.parse(first) < earliest) setEarliest(Date.parse(first));
  const from = earliest < now ? Math.min(earliest, now - 1000) : null;
  const apply = (at: number) => choose(at >= now ? '' : versionAt(at));
  const place = from === null ? 1 : Math.max(Math.floor((now - from) / sliderSteps), 1);
  // The last step is now, regardless of rounding.
  const applySlider = () => {
    if (!isMoved) return;
    setMoved(false);
    apply(time > now - place ? now : time);
  };
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        const at = instant(new FormData(event.currentTarget).get('at'));
        apply(at === '' ? now : Date.parse(at));
        close();
      }}
    >
      <p>Shows the data as of this time, with the scores and texts of that time.</p>
      {from !== null && (
        <input
          type="range"
          aria-label="As of, between the first row and now"
          aria-valuetext={time >= now ? 'now' : timeText(time)}
          min={from}
          max={now}
          step={place}
          value={time}
          onChange={(event) => {
            setTime(Number(event.target.value));
            setMoved(true);
          }}
          onPointerUp={applySlider}
          onKeyUp={applySlider}
        />
      )}
      <TimeField key={time} name="at" label="As of" value={time} />
      <div className="inline-form">
        <button type="submit" className="primary">
          Apply
        </button>
        <button
          type="button"
          onClick={() => {
            choose('');
            close();
          }}
        >
          Now
        </button>
      </div>
    </form>
  );
}

export const VersionMenu = (props: VersionMenuProps) => (
  <Popover label={props.version === '' ? 'Now ▾' : 'As of … ▾'} isPressed={props.version !== ''}>
    {(close) => <VersionForm {...props} close={close} />}
  </Popover>
);
