// A terminal that keeps what is shown on it.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

export const openTerminal = () => Object.assign(new PassThrough(), { isTTY: true });

/** The last line of progress, which was then removed. */
export async function lastLineOn(terminal: PassThrough): Promise<string> {
  terminal.end();
  return (await text(terminal)).split('\r\u001B[K').at(-2) ?? '';
}
