// Attachments: announcement, upload to a signed URL, and download from a signed URL.
import { Type } from 'typebox';
import { plainJson } from '../../json/tree.js';
import {
  Attachment,
  AttachmentBody,
  AttachmentParameters,
  AttachmentStatusBody,
  SignedParameters,
  SignedUpload,
  type AttachmentRequest,
  type AttachmentStatusRequest,
} from '../../schema/attachment.js';
import { closed } from '../../schema/scalar.js';
import {
  announceAttachment,
  downloadAttachment,
  findAttachment,
  receiveAttachment,
  reportAttachment,
} from '../../service/attachments.js';
import { answersJson, type DocumentedOperation } from '../operation.js';

const group = 'Attachments';

const content = Type.Unsafe<string>(
  Type.String({ format: 'binary', description: 'The uploaded content.' }),
);

export const attachmentOperations: readonly DocumentedOperation[] = [
  {
    method: 'post',
    path: '/attachment',
    query: Type.Object({}, closed),
    body: { kind: 'required', schema: AttachmentBody },
    about: {
      name: 'announceAttachment',
      group,
      summary: 'Announce an attachment and return its upload URL',
      answers: answersJson(SignedUpload),
    },
    run: ({ services, caller, host, body }) =>
      announceAttachment(services, caller, host, plainJson(body) as AttachmentRequest),
  },
  {
    method: 'get',
    path: '/attachment',
    query: AttachmentParameters,
    about: {
      name: 'getAttachment',
      group,
      summary: 'Return the state of an attachment and its download URL',
      answers: answersJson(Attachment),
    },
    run: ({ services, caller, host, query }) => findAttachment(services, caller, host, query),
  },
  {
    method: 'post',
    path: '/attachment/status',
    query: Type.Object({}, closed),
    body: { kind: 'required', schema: AttachmentStatusBody },
    about: {
      name: 'reportAttachment',
      group,
      summary: 'Report the result of an upload',
      answers: answersJson(Type.Null()),
    },
    run: ({ services, caller, body }) =>
      reportAttachment(services, caller, plainJson(body) as AttachmentStatusRequest),
  },
  {
    method: 'put',
    path: '/attachment/upload',
    query: SignedParameters,
    body: { kind: 'stream' },
    about: {
      name: 'uploadAttachment',
      group,
      summary: 'Upload the content of an attachment to its signed URL',
      answers: answersJson(Type.Null()),
    },
    run: ({ services, query, content }) =>
      receiveAttachment(services, query['token'] as string | undefined, content),
  },
  {
    method: 'get',
    path: '/attachment/download',
    query: SignedParameters,
    about: {
      name: 'downloadAttachment',
      group,
      summary: 'Download the content of an attachment from its signed URL',
      answers: { 'application/octet-stream': content },
    },
    run: ({ services, query }) =>
      downloadAttachment(services, query['token'] as string | undefined),
  },
];
