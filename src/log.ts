// The log: JSON lines to standard error. The lines of one turn of the event loop are written together, since a system
// call for each would cost a small request a tenth of its time. What ends the process leaves no line unwritten but SIGKILL.
import { pino, type Logger } from 'pino';

const standardError = 2;

/** A turn with more is written in several parts. */
const partBytes = 2 ** 13;

export function openLog(level: string): Logger {
  const file = pino.destination({ dest: standardError, minLength: partBytes, sync: true });
  let isAwaited = false;
  const flush = () => {
    isAwaited = false;
    file.flushSync();
  };
  process.once('exit', flush);
  const write = (line: string): void => {
    file.write(line);
    if (isAwaited) return;
    isAwaited = true;
    setImmediate(flush);
  };
  return pino({ level, base: null }, { write });
}
