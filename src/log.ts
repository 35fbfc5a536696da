// The log: JSON lines to standard error. The lines of one turn of the event loop are written with one system call.
// What ends the process at once, such as SIGKILL, loses those of the last turn.
import { pino, type Logger } from 'pino';

const standardError = 2;

/** @param level the least severe lines to write, as pino names it */
export function openLog(level: string): Logger {
  const file = pino.destination({ dest: standardError, sync: true });
  let lines = '';
  const writeLines = () => {
    const written = lines;
    lines = '';
    if (written !== '') file.write(written);
  };
  process.once('exit', writeLines);
  const write = (line: string): void => {
    if (lines === '') setImmediate(writeLines);
    lines += line;
  };
  return pino({ level, base: null }, { write });
}
