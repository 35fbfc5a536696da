// Thrown errors -> status and one sentence, as plain text or in the form that exporters or query engines read.
import type { Logger } from 'pino';
import { abbreviated, RequestError, shortageIn, unavailable } from '../errors.js';
import { catalogError, catalogPath } from '../schema/iceberg.js';
import { exporterPath } from '../schema/otlp.js';
import { exportError } from '../service/event/otlp.js';
import { jsonType } from '../service/reply.js';
import { mediaTypeOf } from './content-type.js';
import { isDisconnection } from './disconnection.js';
import type { RequestContext } from './state.js';

/** In characters. A sentence may quote values of the request, of any length. */
const messageMax = 2000;

function errorBody({ path, req }: RequestContext, status: number, message: string) {
  if (exporterPath.test(path)) return exportError(mediaTypeOf(req), status, message);
  if (catalogPath.test(path))
    return { contentType: jsonType, body: catalogError(path, status, message) };
  return { contentType: 'text/plain; charset=utf-8', body: message };
}

function render(context: RequestContext, error: RequestError): void {
  context.state.headers.set(context);
  context.status = error.status;
  context.set(error.headers);
  const message = abbreviated(error.message, messageMax);
  const { contentType, body } = errorBody(context, error.status, message);
  context.type = contentType;
  context.body = body;
}

export const errorRenderer =
  (log: Logger) =>
  (context: RequestContext, error: unknown): void => {
    const { requestId } = context.state;
    if (error instanceof RequestError) {
      // The cause goes to the log and not to the client.
      if (error.cause !== undefined) log.error({ requestId, err: error.cause }, error.message);
      render(context, error);
      return;
    }
    if (isDisconnection(error, context.res)) return;
    log.error({ requestId, err: error }, 'request failed');
    const shortage = shortageIn(error);
    if (shortage !== null) {
      render(context, unavailable(`${shortage}: try again later`));
      return;
    }
    render(context, new RequestError(500, `internal error, request id ${requestId}`));
  };
