// Headers that are the same on every answer: computed once.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Middleware } from './state.js';

/** The security headers, read from an answer that is never sent. */
function securityHeaders(): readonly (readonly [name: string, value: string])[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  helmet()(request, response, () => {});
  const names = (
    response as ServerResponse & { getRawHeaderNames(): string[] }
  ).getRawHeaderNames();
  return names.map((name) => [name, response.getHeader(name) as string]);
}

const constantHeaders = [...securityHeaders(), ['Vary', 'Accept-Encoding, Origin']] as const;

/** An operation may replace them. */
export const setConstantHeaders: Middleware = ({ res }, next) => {
  for (const [name, value] of constantHeaders) res.setHeader(name, value);
  return next();
};
