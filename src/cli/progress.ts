// One line on the terminal that shows how far long work is. Nothing is written where standard error is no terminal.
import type { Context } from './context.js';

export interface Progress {
  /** Counts finished rows or steps. */
  readonly add: (count: number) => void;
  /** Counts bytes that were read or written. */
  readonly addBytes: (count: number) => void;
  /** Removes the line. */
  readonly end: () => void;
}

export interface ProgressOptions {
  readonly label: string;
  /** All bytes of the work, for a share in percent; undefined if unknown. */
  readonly totalBytes?: number | undefined;
  /** What is counted: by default rows. */
  readonly unit?: string;
}

const redrawMilliseconds = 250;
const bytesOfMb = 1_000_000;

export function startProgress(
  { terminal }: Pick<Context, 'terminal'>,
  { label, totalBytes, unit = 'rows' }: ProgressOptions,
): Progress {
  if (terminal.isTTY !== true) return { add: () => {}, addBytes: () => {}, end: () => {} };
  const started = performance.now();
  let rows = 0;
  let bytes = 0;
  const draw = () => {
    const seconds = (performance.now() - started) / 1000;
    const share =
      totalBytes === undefined || totalBytes === 0
        ? ''
        : ` (${Math.floor((100 * Math.min(bytes, totalBytes)) / totalBytes)}%)`;
    terminal.write(
      `\r\u001b[K${label}: ${rows} ${unit}, ${Math.round(rows / Math.max(seconds, 0.001))}/s, ${(bytes / bytesOfMb).toFixed(1)} MB${share}`,
    );
  };
  const timer = setInterval(draw, redrawMilliseconds);
  timer.unref();
  draw();
  return {
    add: (count) => {
      rows += count;
    },
    addBytes: (count) => {
      bytes += count;
    },
    end: () => {
      clearInterval(timer);
      draw();
      terminal.write('\r\u001b[K');
    },
  };
}

/** Shows the progress of the work until it ends, well or not. */
export async function withProgress<T>(
  context: Pick<Context, 'terminal'>,
  options: ProgressOptions,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = startProgress(context, options);
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}
