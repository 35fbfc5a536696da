// URLs for the answers of queries, which need no key, so that a browser can save a file of any size without holding it, and programs
// can read by address. Each request has the rights that the key has at that time. A GET of the whole answer runs the query. For HEAD
// and parts, the answer is kept in a file until the URL expires, so that all of them are of the same bytes.
import { Readable } from 'node:stream';
import type { QueryRequest } from '../../schema/request.js';
import { unauthorised, unavailable } from '../../errors.js';
import { requirePrincipal } from '../access/access.js';
import { byteRange } from '../byte-range.js';
import type { Caller, Services } from '../context.js';
import type { KeptAnswer } from '../download.js';
import { addressFor } from '../links.js';
import { fileHeaders, jsonReply, type Reply, type StreamedReply } from '../reply.js';
import { SharedRun } from '../shared-run.js';
import { namedFile } from './file-name.js';
import { checkQuery, runQuery } from './queries.js';

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
  const download = { keyId, request, kept: new SharedRun<KeptAnswer>() };
  const offered = services.downloads.offers.offer(keyId, download, now);
  if (offered === undefined)
    throw unavailable('too many large queries wait for their downloads: try again in a minute');
  const { secret, expires } = offered;
  const url = `${addressFor(services, host)}/query/download?token=${secret}`;
  const body = { url, expires: new Date(expires).toISOString() };
  return jsonReply(JSON.stringify(body), { 'cache-control': 'no-store' });
}

export interface DownloadRequest {
  readonly token: string | undefined;
  /** The header `Range`; empty for the whole answer. */
  readonly range: string;
  readonly isHead: boolean;
}

const expired = () => unauthorised('token: the URL has expired: request another one');

/**
 * Replies with the answer of a URL, or a part of it.
 * @param now milliseconds since 1970
 * @throws RequestError 401 for a token that is unknown or expired, or whose key was deleted or may no longer read a part of what a
 * kept answer has; 416 for a range without bytes of the answer; as `checkQuery`, `runQuery` and `KeptFiles.keep`
 */
export async function openDownload(
  services: Services,
  caller: Caller,
  { token, range, isHead }: DownloadRequest,
  now: number,
  signal: AbortSignal,
): Promise<StreamedReply> {
  const { offers, files } = services.downloads;
  const offer = offers.find(token ?? '', now);
  const principal = offer && services.accounts.principalOfKeyId(offer.value.keyId);
  if (offer === undefined || principal === undefined) throw expired();
  const { permission, requestId } = caller;
  const holder = { ...principal, permission, requestId };
  const { request, kept } = offer.value;
  const run = (until: AbortSignal) => answerOf(services, holder, request, until);
  if (range === '' && !isHead && !kept.hasRun) return run(signal);
  const ids = await checkQuery(services, holder, request, signal);
  const answer = await kept.get(signal, async (until): Promise<KeptAnswer> => {
    const { body, contentType, headers } = await run(until);
    const chunks = Buffer.isBuffer(body) ? Readable.from([body]) : body;
    const file = await files.keep(principal.keyId, offer.expires - now, chunks);
    return { file, contentType, headers, ids };
  });
  const readable = new Set(ids);
  const { file, contentType, headers } = answer;
  const part = byteRange(range, file.length);
  const body = answer.ids.every((id) => readable.has(id))
    ? await files.read(file, part)
    : undefined;
  if (body === undefined) throw expired();
  const tags = {
    etag: `"${file.name}"`,
    'cache-control': `${fileHeaders['cache-control']}, no-transform`,
  };
  return { contentType, headers: { ...headers, ...tags }, length: file.length, part, body };
}

/** Runs the query. The reply has no entity tag, so it is never a 304. */
async function answerOf(
  services: Services,
  holder: Caller,
  request: QueryRequest,
  signal: AbortSignal,
): Promise<StreamedReply> {
  const reply = (await runQuery(services, holder, request, '', signal)) as StreamedReply;
  const { etag: _tag, ...headers } = reply.headers;
  const named = namedFile(request.fmt ?? 'json');
  return { ...reply, headers: { ...headers, ...fileHeaders, ...named, 'accept-ranges': 'bytes' } };
}
