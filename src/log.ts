// The log: JSON lines to standard error. One system call writes all lines of one turn of the event loop, so SIGKILL loses the
// lines of the last turn.
import { pino, type Logger } from 'pino';

const standardError = 2;

/** Characters of lines that wait while standard error cannot be written, for example a file on a full disk. Further lines are lost. */
const waitingMax = 2 ** 20;

/** @param level the minimum severity, a level of pino */
export function openLog(level: string): Logger {
  const file = pino.destination({ dest: standardError, sync: true, maxLength: waitingMax });
  file.on('error', () => {});
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
