// Answers to queries at addresses that are opened once, without a key: so a browser saves a file of any size without holding it.
// An address is used up before anything is read, and gives the rights that its key has at that moment.
import type { QueryRequest } from '../../schema/request.js';
import { requirePrincipal, unauthorised } from '../access.js';
import type { Caller, Services } from '../context.js';
import { addressFor } from '../links.js';
import { createOneTime, type OneTime } from '../one-time.js';
import { jsonReply, type Reply, type StreamedReply } from '../reply.js';
import { checkQuery, runQuery } from './queries.js';

export interface Download {
  readonly keyId: string;
  readonly request: QueryRequest;
}

const limits = { lifetime: 60_000, countMax: 1_000, sizeMax: 16_000_000 };

/** Sizes are characters of queries. */
export const createDownloads = (): OneTime<Download> =>
  createOneTime(limits, ({ request }) => JSON.stringify(request.query).length);

/**
 * @param host the header Host of the request
 * @param now milliseconds since 1970
 * @throws RequestError 401 without a key; 400 for a query that does not parse, or a source that may not be read
 */
export function offerDownload(
  services: Services,
  caller: Caller,
  host: string,
  request: QueryRequest,
  now: number,
): Reply {
  const { keyId } = requirePrincipal(caller);
  checkQuery(services, caller, request);
  const { secret, expires } = services.downloads.offer({ keyId, request }, now);
  const url = `${addressFor(services, host)}/query/download?token=${secret}`;
  const body = { url, expires: new Date(expires).toISOString() };
  return jsonReply(JSON.stringify(body), { 'cache-control': 'no-store' });
}

/** Nothing of it may run as a page of this server, and no copy is kept. */
const harmless = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
};

const fileName = ({ fmt }: QueryRequest): string => `rows.${fmt ?? 'json'}`;

/**
 * @param now milliseconds since 1970
 * @throws RequestError 401 for an address that is unknown, was opened, is too old, or whose key is no more; as `runQuery`
 */
export async function takeDownload(
  services: Services,
  caller: Caller,
  token: string | undefined,
  now: number,
  signal: AbortSignal,
): Promise<StreamedReply> {
  const found = services.downloads.take(token ?? '', now);
  const principal =
    found === undefined ? undefined : services.accounts.principalOfKeyId(found.keyId);
  if (found === undefined || principal === undefined)
    throw unauthorised('token: the URL was already used or has expired: request another one');
  const { permission, requestId } = caller;
  const holder = { ...principal, permission, requestId };
  // Nothing was said about a known answer, so it is a whole one.
  const reply = (await runQuery(services, holder, found.request, '', signal)) as StreamedReply;
  const { etag: _tag, ...headers } = reply.headers;
  return {
    ...reply,
    headers: {
      ...headers,
      ...harmless,
      'Content-Disposition': `attachment; filename="${fileName(found.request)}"`,
    },
  };
}
