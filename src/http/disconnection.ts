// Recognises errors that mean only that the client closed its connection.
import type { ServerResponse } from 'node:http';

const codes: ReadonlySet<unknown> = new Set([
  'ABORT_ERR',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** Whether `error` is due to the closed connection of its request. */
export function isDisconnection(error: unknown, response: ServerResponse): boolean {
  if (!(error instanceof Error) || !response.req.socket.destroyed) return false;
  return error.name === 'AbortError' || codes.has((error as NodeJS.ErrnoException).code);
}
