// Attachments: announcement, upload to a signed URL, and download from a signed URL.
import { Type } from 'typebox';
import { plainJson } from '../../json/tree.js';
import {
  Attachment,
  AttachmentBody,
  AttachmentParameters,
  AttachmentStatusBody,
  ExperimentAttachmentParameters,
  SignedParameters,
  SignedUpload,
  type AttachmentRequest,
  type AttachmentStatusRequest,
  type ExperimentAttachmentQuery,
} from '../../schema/attachment.js';
import {
  announceAttachment,
  downloadAttachment,
  findAttachment,
  findExperimentAttachment,
  receiveAttachment,
  reportAttachment,
} from '../../service/attachment/attachments.js';
import { operation, type DocumentedOperation } from '../operation.js';

const group = 'Attachments';

const content = Type.Unsafe<string>(
  Type.String({ format: 'binary', description: 'The uploaded content.' }),
);

export const attachmentOperations: readonly DocumentedOperation[] = [
  operation('post', '/attachment', {
    name: 'announceAttachment',
    group,
    summary: 'Announce an attachment and return its upload URL',
    body: { kind: 'required', schema: AttachmentBody },
    answer: SignedUpload,
    run: ({ services, caller, host, body }) =>
      announceAttachment(services, caller, host, plainJson(body) as AttachmentRequest),
  }),
  operation('get', '/attachment', {
    name: 'getAttachment',
    group,
    summary: 'Return the state of an attachment and its download URL',
    query: AttachmentParameters,
    answer: Attachment,
    run: ({ services, caller, host, query }) => findAttachment(services, caller, host, query),
  }),
  operation('get', '/v1/experiment/:id/attachment', {
    name: 'getExperimentAttachment',
    group,
    summary:
      'Return the state of an attachment that an event of this experiment names, and its download URL',
    query: ExperimentAttachmentParameters,
    answer: Attachment,
    run: ({ services, caller, id, host, query }) =>
      findExperimentAttachment(services, caller, id, host, query as ExperimentAttachmentQuery),
  }),
  operation('post', '/attachment/status', {
    name: 'reportAttachment',
    group,
    summary: 'Report the result of an upload',
    body: { kind: 'required', schema: AttachmentStatusBody },
    answer: Type.Null(),
    run: ({ services, caller, body }) =>
      reportAttachment(services, caller, plainJson(body) as AttachmentStatusRequest),
  }),
  operation('put', '/attachment/upload', {
    name: 'uploadAttachment',
    group,
    summary: 'Upload the content of an attachment to its signed URL',
    query: SignedParameters,
    body: { kind: 'stream' },
    answer: Type.Null(),
    run: ({ services, query, content }) =>
      receiveAttachment(services, query['token'] as string | undefined, content),
  }),
  operation('get', '/attachment/download', {
    name: 'downloadAttachment',
    group,
    summary: 'Download the content of an attachment from its signed URL',
    query: SignedParameters,
    answers: { 'application/octet-stream': content },
    headers: ['accept-ranges'],
    run: ({ services, query, range }) =>
      downloadAttachment(services, query['token'] as string | undefined, range),
  }),
];
