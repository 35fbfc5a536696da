// Attachments of events: clients announce them, upload and download them by signed URLs, and the sweep removes unused ones.
import type { AttachmentRecord } from '../../catalog/attachments.js';
import { abbreviated, badRequest, forbidden, unauthorised } from '../../errors.js';
import type {
  AttachmentQuery,
  AttachmentRequest,
  AttachmentStatusRequest,
  ExperimentAttachmentQuery,
} from '../../schema/attachment.js';
import { canInSomeEvents, requirePrincipal, requireObject } from '../access/access.js';
import { isNamedIn, canFetch } from './attachment-rights.js';
import { byteRange } from '../byte-range.js';
import type { Caller, KeyCaller, Services } from '../context.js';
import { addressFor } from '../links.js';
import { organisationOf } from '../access/organisation.js';
import { fileHeaders, jsonReply, type Reply, type StreamedReply } from '../reply.js';
import { readRight, signRight, type AddressUse, type SignedRight } from './signed-address.js';

/** The validity of a signed URL. */
const addressMs = 3_600_000;

const quoted = (key: string): string => JSON.stringify(key);

function addressOf(
  services: Services,
  host: string,
  use: AddressUse,
  { orgId, key, file }: AttachmentRecord,
  { filename, contentType }: Pick<SignedRight, 'filename' | 'contentType'>,
): string {
  const expires = Date.now() + addressMs;
  const right = { orgId, key, file, filename, contentType, expires };
  const token = signRight(right, use, services.signingSecret);
  return `${addressFor(services, host)}/attachment/${use}?token=${token}`;
}

/** @throws RequestError 401 for a token that does not permit this use */
function rightOf(services: Services, use: AddressUse, token: string | undefined): SignedRight {
  if (token === undefined)
    throw unauthorised(
      `this request requires a signed URL: ${use === 'upload' ? 'POST' : 'GET'} /attachment returns one`,
    );
  const right = readRight(token, use, services.signingSecret);
  if (right === null) throw unauthorised(`token: it was not signed by this server for ${use}s`);
  if (right.expires < Date.now()) throw unauthorised('token: it has expired, request another one');
  return right;
}

/** @throws RequestError 400 if there is none */
async function recordOf(services: Services, orgId: string, key: string): Promise<AttachmentRecord> {
  const record = await services.attachments.records.find({ orgId, key });
  if (record === undefined || record.status === 'dropped') throw noAttachment(key);
  return record;
}

/** The same error for a missing attachment and for one that the caller may not download. */
const noAttachment = (key: string) =>
  badRequest(`key: there is no attachment ${quoted(key)} that this key may use`);

/**
 * Clients announce an attachment before the event that names it.
 * @param host the header Host of the request
 * @throws RequestError 403 unless the caller may write events of at least one object of the organisation
 */
export async function announceAttachment(
  services: Services,
  caller: Caller,
  host: string,
  { key, filename, content_type: contentType, org_id }: AttachmentRequest,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  const orgId = organisationOf(services, principal, { orgId: org_id });
  if (!canInSomeEvents(services, principal, orgId))
    throw forbidden(
      `this key may not write events of the organisation "${orgId}", so it may not upload attachments`,
    );
  const details = { filename, contentType, userId: principal.userId };
  const record = await services.attachments.records.begin({ orgId, key }, details, Date.now());
  if (record === undefined)
    throw badRequest(
      `key: the attachment ${quoted(key)} is uploaded already, or by another user: choose another key`,
    );
  const signedUrl = addressOf(services, host, 'upload', record, details);
  return jsonReply(JSON.stringify({ signedUrl, headers: {} }));
}

/** @param content the body of the request, which is read after the token is checked */
export async function receiveAttachment(
  services: Services,
  token: string | undefined,
  content: AsyncIterable<Uint8Array>,
): Promise<Reply> {
  const right = rightOf(services, 'upload', token);
  const { files } = services.attachments;
  return files.whileWriting(right.file, () => received(services, right, content));
}

/** The chunks, while the disk has space for more than its reserve. */
async function* whileSpace(
  store: Pick<Services['store'], 'requireDisk'>,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    await store.requireDisk();
    yield chunk;
  }
}

async function received(
  { attachments: { records, files }, store }: Services,
  { orgId, key, file }: SignedRight,
  content: AsyncIterable<Uint8Array>,
): Promise<Reply> {
  const record = await records.find({ orgId, key });
  if (record?.file === file && record.bytes !== null)
    throw badRequest(`the attachment ${quoted(key)} is complete: its URL accepts one upload`);
  const missing = () =>
    badRequest(`there is no attachment ${quoted(key)} any more: announce it again`);
  if (record?.file !== file || record.status === 'dropped') throw missing();
  const bytes = await files.write(file, whileSpace(store, content));
  if (!(await records.complete(file, bytes))) {
    await files.remove(file);
    throw missing();
  }
  return jsonReply('null');
}

/**
 * Records the result of an upload.
 * @throws RequestError 400 for `done` without an attachment that the user announced and uploaded. An error without
 * one is ignored: clients also report that an announcement was refused, and would show the refusal of the report as the reason.
 */
export async function reportAttachment(
  services: Services,
  caller: Caller,
  { key, org_id, status }: AttachmentStatusRequest,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  const { upload_status: state, error_message: message = null } = status;
  const orgId = organisationOf(services, principal, { orgId: org_id });
  const record = await services.attachments.records.find({ orgId, key });
  if (record === undefined || !canReport(principal, record)) {
    if (state === 'error') return jsonReply('null');
    throw noAttachment(key);
  }
  if (state === 'done' && record.bytes === null)
    throw badRequest(
      `status.upload_status: the content of the attachment ${quoted(key)} is not uploaded yet`,
    );
  await services.attachments.records.report(record, state, message);
  return jsonReply('null');
}

const canReport = (caller: KeyCaller, { userId, status }: AttachmentRecord): boolean =>
  status !== 'dropped' && (userId === null || userId === caller.userId);

/** Clients download it themselves, since this server sends no request to a URL of a client. */
function externalAttachment(url: string): Reply {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'https:' && protocol !== 'http:')
    throw badRequest(
      `url: expected an http or https address, got ${quoted(abbreviated(url))}: this server has no access to other stores`,
    );
  return jsonReply(JSON.stringify({ downloadUrl: url, status: { upload_status: 'done' } }));
}

/** The state of the attachment, and the URL of its content under this name and type. */
function stateReply(
  services: Services,
  host: string,
  record: AttachmentRecord,
  { filename, contentType }: { filename?: string | undefined; contentType?: string | undefined },
): Reply {
  const details = {
    filename: filename ?? record.filename,
    contentType: contentType || record.contentType || 'application/octet-stream',
  };
  const downloadUrl = addressOf(services, host, 'download', record, details);
  const error = record.error === null ? {} : { error_message: record.error };
  const status = { upload_status: record.status, ...error };
  return jsonReply(JSON.stringify({ downloadUrl, status }));
}

/**
 * @param host the header Host of the request
 * @throws RequestError 400 unless the query names one attachment, by its key or by its external URL
 */
export async function findAttachment(
  services: Services,
  caller: Caller,
  host: string,
  { key, url, filename, content_type: contentType, org_id }: AttachmentQuery,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  // A request for an external attachment also names an organisation of the key.
  const orgId = organisationOf(services, principal, { orgId: org_id });
  if (key !== undefined && url !== undefined)
    throw badRequest('url: not allowed together with "key"');
  if (url !== undefined) return externalAttachment(url);
  if (key === undefined) throw badRequest('query parameter "key" is missing in the query string');
  const record = await recordOf(services, orgId, key);
  if (!(await canFetch(services, principal, record))) throw noAttachment(key);
  return stateReply(services, host, record, { filename, contentType });
}

/**
 * Requires no key for a public experiment.
 * @throws RequestError 400 unless an event of the experiment names the attachment
 */
export async function findExperimentAttachment(
  services: Services,
  caller: Caller,
  id: string,
  host: string,
  { key, filename }: ExperimentAttachmentQuery,
): Promise<Reply> {
  const experiment = requireObject(services, caller, 'experiment', id);
  const object = { kind: 'experiment', id: experiment.id } as const;
  const record = await services.attachments.records.find({ orgId: experiment.orgId, key });
  // The same error for an attachment that only other objects name.
  if (
    record === undefined ||
    record.status === 'dropped' ||
    !(await isNamedIn(services, record, object))
  )
    throw badRequest(`key: no event of this experiment names an attachment ${quoted(key)}`);
  return stateReply(services, host, record, { filename });
}

/** @param range the header `Range` of the request; empty for the whole content */
export async function downloadAttachment(
  services: Services,
  token: string | undefined,
  range: string,
): Promise<StreamedReply> {
  const { orgId, key, file, filename, contentType } = rightOf(services, 'download', token);
  const record = await recordOf(services, orgId, key);
  if (record.bytes === null || record.file !== file)
    throw badRequest(`the content of the attachment ${quoted(key)} is not uploaded yet`);
  const { bytes } = record;
  const part = byteRange(range, bytes);
  return {
    contentType,
    headers: { ...fileHeaders, 'accept-ranges': 'bytes' },
    filename,
    length: bytes,
    part,
    body: await services.attachments.files.read(file, bytes, part),
  };
}
