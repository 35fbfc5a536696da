// The requests that a page sent for an answer, how long each took there, and how long it takes without a browser.
import type { Page, Request } from 'playwright-core';

export interface TimedRequest {
  /** What it asks for, in short. */
  readonly name: string;
  /** Milliseconds until the last byte. */
  readonly inBrowser: number;
  readonly alone: number;
}

const clauses = ['infer', 'dimensions', 'measures', 'select'] as const;

function nameOf(request: Request): string {
  const { pathname } = new URL(request.url());
  const body = request.postData();
  if (pathname !== '/query' || body === null)
    return `${request.method()} ${pathname.replace(/[0-9a-f-]{36}/, 'ID').replace(/-[A-Z0-9]{8}\./, '.')}`;
  const { query } = JSON.parse(body) as { readonly query: string };
  const clause = clauses.find((name) => query.startsWith(`${name}:`)) ?? 'query';
  return `${clause}: ${query.slice(clause.length + 2, clause.length + 60).replaceAll('\n', ' ')}`;
}

async function alone(request: Request, origin: string, key: string): Promise<number> {
  const { pathname, search } = new URL(request.url());
  const body = request.postData();
  const start = performance.now();
  const response = await fetch(origin + pathname + search, {
    method: request.method(),
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    body,
  });
  await response.arrayBuffer();
  return performance.now() - start;
}

/** Notes the requests that are sent and answered from now until `answered` is called. */
export function noteRequests(page: Page): () => readonly Request[] {
  const requests: Request[] = [];
  const note = (request: Request) => requests.push(request);
  page.on('requestfinished', note);
  return () => {
    page.off('requestfinished', note);
    return requests;
  };
}

/** One after the other. */
export async function timeAlone(
  requests: readonly Request[],
  origin: string,
  key: string,
): Promise<readonly TimedRequest[]> {
  const timed: TimedRequest[] = [];
  for (const request of requests) {
    const { responseEnd } = request.timing();
    timed.push({
      name: nameOf(request),
      inBrowser: responseEnd,
      alone: await alone(request, origin, key),
    });
  }
  return timed;
}
