// The headers that are the same on every answer, computed once.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Middleware } from './state.js';

/**
 * The security headers of helmet, read from an answer that is never sent. HSTS and upgrade-insecure-requests require a public
 * https URL; without TLS they would make the pages unreachable.
 */
function securityHeaders(isHttps: boolean): readonly (readonly [name: string, value: string])[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const secure = helmet({
    strictTransportSecurity: isHttps,
    contentSecurityPolicy: isHttps || { directives: { upgradeInsecureRequests: null } },
  });
  secure(request, response, () => {});
  const names = (
    response as ServerResponse & { getRawHeaderNames(): string[] }
  ).getRawHeaderNames();
  return names.map((name) => [name, response.getHeader(name) as string]);
}

/** Sets the headers; an operation may replace them. */
export function setConstantHeaders(isHttps: boolean): Middleware {
  const headers = [...securityHeaders(isHttps), ['Vary', 'Accept-Encoding, Origin']] as const;
  return ({ res }, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    return next();
  };
}
