// The headers of every answer: the id of the request, and those that are always the same, which are computed once.
import type { ServerResponse } from 'node:http';

/** What the headers of an answer depend on. */
export interface Answered {
  readonly res: ServerResponse;
  readonly state: { readonly requestId: string };
}

type Header = readonly [name: string, value: string];

/** The policy of answers that set none of their own. */
const contentPolicy = [
  "default-src 'self'",
  "base-uri 'self'",
  "font-src 'self' https: data:",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "script-src 'self'",
  "script-src-attr 'none'",
  "style-src 'self' https: 'unsafe-inline'",
].join(';');

const securityHeaders: readonly Header[] = [
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Origin-Agent-Cluster', '?1'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-DNS-Prefetch-Control', 'off'],
  ['X-Download-Options', 'noopen'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['X-XSS-Protection', '0'],
  ['Vary', 'Accept-Encoding, Origin'],
];

/**
 * HSTS and upgrade-insecure-requests require a public https URL: without TLS they would make the pages unreachable. HSTS is for
 * this host alone: its subdomains may be others'.
 */
const headersOver = (isHttps: boolean): readonly Header[] =>
  isHttps
    ? [
        ['Content-Security-Policy', `${contentPolicy};upgrade-insecure-requests`],
        ['Strict-Transport-Security', 'max-age=31536000'],
        ...securityHeaders,
      ]
    : [['Content-Security-Policy', contentPolicy], ...securityHeaders];

const idHeader = 'x-request-id';

export class CommonHeaders {
  readonly #constant: readonly Header[];
  readonly #names: ReadonlySet<string>;
  readonly #flat: readonly string[];

  constructor(isHttps: boolean) {
    this.#constant = headersOver(isHttps);
    this.#names = new Set(this.#constant.map(([name]) => name.toLowerCase()));
    this.#flat = this.#constant.flat();
  }

  areSet({ res }: Answered): boolean {
    return res.hasHeader(idHeader);
  }

  /** Sets the headers unless they are set. What is set afterwards replaces them. */
  set(context: Answered): void {
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
  list({ state }: Answered): string[] {
    return [idHeader, state.requestId, ...this.#flat];
  }
}
