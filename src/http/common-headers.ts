// The headers of every answer: the id of the request, and those that are always the same, which are computed once.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { RequestContext } from './state.js';

type Header = readonly [name: string, value: string];

/**
 * The security headers of helmet, read from an answer that is never sent. HSTS and upgrade-insecure-requests require a public
 * https URL; without TLS they would make the pages unreachable. HSTS is for this host alone: its subdomains may be others'.
 */
function securityHeaders(isHttps: boolean): readonly Header[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const secure = helmet({
    strictTransportSecurity: isHttps && { includeSubDomains: false },
    contentSecurityPolicy: isHttps || { directives: { upgradeInsecureRequests: null } },
  });
  secure(request, response, () => {});
  const names = (
    response as ServerResponse & { getRawHeaderNames(): string[] }
  ).getRawHeaderNames();
  return names.map((name) => [name, response.getHeader(name) as string]);
}

const idHeader = 'x-request-id';

export class CommonHeaders {
  readonly #constant: readonly Header[];
  readonly #names: ReadonlySet<string>;
  readonly #flat: readonly string[];

  constructor(isHttps: boolean) {
    this.#constant = [...securityHeaders(isHttps), ['Vary', 'Accept-Encoding, Origin']];
    this.#names = new Set(this.#constant.map(([name]) => name.toLowerCase()));
    this.#flat = this.#constant.flat();
  }

  areSet({ res }: RequestContext): boolean {
    return res.hasHeader(idHeader);
  }

  /** Sets the headers unless they are set. What is set afterwards replaces them. */
  set(context: RequestContext): void {
    if (this.areSet(context)) return;
    const { res, state } = context;
    res.setHeader(idHeader, state.requestId);
    for (const [name, value] of this.#constant) res.setHeader(name, value);
  }

  /** Whether a header of this name, in lower case, would replace one of them. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Names and values in turn, as `writeHead` takes them. */
  list({ state }: RequestContext): string[] {
    return [idHeader, state.requestId, ...this.#flat];
  }
}
