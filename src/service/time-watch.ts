// Logs when the clock of the machine was set or the process was suspended. Correctness depends on neither: ids are ordered,
// and waits use a monotonic clock.
import type { Logger } from 'pino';

const everyMs = 1_000;

/** Regular adjustments of a clock are smaller. */
const stepMinMs = 2_000;

/** Large requests and garbage collections take less. */
const pauseMinMs = 5_000;

const seconds = (milliseconds: number): number => Math.round(milliseconds / 1000);

const now = () => ({ clock: Date.now(), passed: performance.now() });

export interface TimeWatch {
  close(): void;
}

export function watchTime(log: Pick<Logger, 'warn'>): TimeWatch {
  let last = now();
  const look = () => {
    const before = last;
    last = now();
    const passed = last.passed - before.passed;
    const step = last.clock - before.clock - passed;
    if (passed > everyMs + pauseMinMs)
      log.warn(
        `the server did not run for ${seconds(passed - everyMs)} s: it was stopped, or the machine was too busy`,
      );
    if (Math.abs(step) > stepMinMs)
      log.warn(
        `the clock of the machine was set ${step < 0 ? 'back' : 'forward'} by ${seconds(Math.abs(step))} s: transactions keep their order, and times of new events are those of the clock`,
      );
  };
  const timer = setInterval(look, everyMs).unref();
  return { close: () => clearInterval(timer) };
}
