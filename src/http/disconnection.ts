// Errors that only say that the client closed its connection. They are no faults, and need no answer.
import type { ServerResponse } from 'node:http';

const codes: ReadonlySet<unknown> = new Set([
  'ABORT_ERR',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** Whether `error` is what is left of a request whose connection is closed. */
export function isDisconnection(error: unknown, response: ServerResponse): boolean {
  if (!(error instanceof Error) || !response.destroyed) return false;
  return error.name === 'AbortError' || codes.has((error as NodeJS.ErrnoException).code);
}
