// Tasks of the server that run at the start and every hour, one after the other.
import type { Logger } from 'pino';

const hourMs = 3_600_000;

export interface HourlyTask {
  /** The log line of a failure. */
  readonly failure: string;
  /** @param nowMs milliseconds since 1970 */
  readonly run: (nowMs: number) => Promise<void>;
}

export interface HourlyTasks {
  /** Waits for the running task; no further one starts. */
  close(): Promise<void>;
}

export function startHourlyTasks(tasks: readonly HourlyTask[], log: Logger): HourlyTasks {
  let running = Promise.resolve();
  let closed = false;
  const runAll = async () => {
    for (const { failure, run } of tasks)
      if (!closed)
        await run(Date.now()).catch((error: unknown) => log.error({ err: error }, failure));
  };
  const start = () => {
    running = running.then(runAll);
  };
  const timer = setInterval(start, hourMs).unref();
  start();
  return {
    close: () => {
      closed = true;
      clearInterval(timer);
      return running;
    },
  };
}
