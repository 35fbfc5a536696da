// Formats numbers and times for display. Titles and details have the exact values.

const number = new Intl.NumberFormat('en-US');
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

export const numberText = (value: number): string => number.format(value);

/** @param noun in the singular */
export const countText = (count: number, noun: string): string =>
  `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;

export const dateText = (time: string): string => date.format(new Date(time));

const pad = (value: number, length = 2) => String(value).padStart(length, '0');

/** The local day. */
export const dayText = (time: number): string => timeText(time).slice(0, 10);

/** Local time, to the second. */
export function timeText(time: string | number): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return String(time);
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${day} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Local time for a narrow column, without the current year. */
export function shortTimeText(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return time;
  const day = `${months[at.getMonth()]} ${pad(at.getDate())}`;
  if (at.getFullYear() !== new Date().getFullYear()) return `${day} ${at.getFullYear()}`;
  return `${day} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

/** The time since an instant. */
export function sinceText(time: string): string {
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1000);
  const unit = units.find(([, length]) => seconds >= length);
  return unit === undefined ? 'just now' : `${Math.floor(seconds / unit[1])} ${unit[0]} ago`;
}

/** @param seconds may have a fraction */
export function durationText(seconds: number): string {
  if (seconds < 0) return `−${durationText(-seconds)}`;
  const micros = Math.round(seconds * 1e6);
  if (micros < 1000) return `${micros} µs`;
  const millis = Math.round(seconds * 1000);
  if (millis < 1000) return `${millis} ms`;
  if (seconds < 59.995) return `${seconds.toFixed(2)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${numberText(Math.floor(whole / 3600))} h ${Math.floor((whole % 3600) / 60)} min`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 2 ** 20) return `${(bytes / 1024).toFixed(1)} kB`;
  if (bytes < 2 ** 30) return `${(bytes / 2 ** 20).toFixed(1)} MB`;
  return `${(bytes / 2 ** 30).toFixed(1)} GB`;
}

const encoder = new TextEncoder();

/** The size of a text in UTF-8. */
export const sizeText = (text: string): string => bytesText(encoder.encode(text).length);

/** @param unit that of the summary of an experiment; only that of times is shown, since names of metrics say what they count */
export function metricText(value: number, unit: string): string {
  if (unit === 's') return durationText(value);
  if (Math.abs(value) >= 1000) return numberText(Math.round(value));
  return String(Number(value.toPrecision(4)));
}

/** All digits of a number unless there are too many, but always those before the point. @param raw JSON text */
export function shortNumberText(raw: string): string {
  const value = Number(raw);
  if (Math.abs(value) >= 10_000) return numberText(Math.round(value));
  return raw.length > 7 ? String(Number(value.toPrecision(5))) : raw;
}

/** Five digits, with a typographic minus sign. */
export function scoreText(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const text = value.toFixed(5);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

export function signedText(value: number | null | undefined): string {
  const text = scoreText(value);
  return /^\d/.test(text) ? `+${text}` : text;
}

const shownText = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();

/** Whether two texts look the same on a page, which shows any white space as one space. */
export const isSameText = (a: string, b: string): boolean => shownText(a) === shownText(b);
