// One-time URLs for the answers of queries, which need no key, so that a browser can save a file of any size without holding it. A
// URL is invalidated before its query runs. The query runs with the rights that the key has at that time.
import type { QueryRequest } from '../../schema/request.js';
import { unauthorised, unavailable } from '../../errors.js';
import { stringifyJson } from '../../json/stringify.js';
import { requirePrincipal } from '../access.js';
import type { Caller, Services } from '../context.js';
import { addressFor } from '../links.js';
import { createOneTime, type OneTime } from '../one-time.js';
import { fileHeaders, jsonReply, type Reply, type StreamedReply } from '../reply.js';
import { namedFile } from './file-name.js';
import { checkQuery, runQuery } from './queries.js';

export interface Download {
  readonly keyId: string;
  readonly request: QueryRequest;
}

const limits = { lifetime: 60_000, countMax: 1_000, sizeMax: 2 ** 24, totalMax: 2 ** 26 };

/** An upper bound for the memory of a download without its query, in bytes. */
const restSize = 1_000;

/** Sizes are about those of the queries in bytes. Owners are keys. */
export const createDownloads = (): OneTime<Download> =>
  createOneTime(limits, ({ request }) => stringifyJson(request.query).length + restSize);

/**
 * Checks the query and replies with a URL for its answer.
 * @param host the header Host of the request
 * @param now milliseconds since 1970
 * @throws RequestError 401 without a key, 503 if the queries of all valid URLs are too large; as `checkQuery`
 */
export async function offerDownload(
  services: Services,
  caller: Caller,
  host: string,
  request: QueryRequest,
  now: number,
  signal: AbortSignal,
): Promise<Reply> {
  const { keyId } = requirePrincipal(caller);
  await checkQuery(services, caller, request, signal);
  const offered = services.downloads.offer(keyId, { keyId, request }, now);
  if (offered === undefined)
    throw unavailable('too many large queries wait for their downloads: try again in a minute');
  const { secret, expires } = offered;
  const url = `${addressFor(services, host)}/query/download?token=${secret}`;
  const body = { url, expires: new Date(expires).toISOString() };
  return jsonReply(JSON.stringify(body), { 'cache-control': 'no-store' });
}

/**
 * Runs the query of a URL and invalidates the URL.
 * @param now milliseconds since 1970
 * @throws RequestError 401 for a token that is unknown, used or expired, or whose key was deleted; as `runQuery`
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
  // Without an entity tag, the reply is never a 304.
  const reply = (await runQuery(services, holder, found.request, '', signal)) as StreamedReply;
  const { etag: _tag, ...headers } = reply.headers;
  return {
    ...reply,
    headers: { ...headers, ...fileHeaders, ...namedFile(found.request.fmt ?? 'json') },
  };
}
