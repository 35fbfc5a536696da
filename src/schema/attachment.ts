// Schemas of requests and answers for attachments.
import { Type, type Static } from 'typebox';
import {
  Text,
  Uuid,
  component,
  described,
  exactly,
  omittable,
  optional,
  recordOf,
} from './scalar.js';

// The keyword `expected` is for error messages.

export const attachmentKeyBytesMax = 200;

/** Printable ASCII without quotes, which JSON never escapes. */
export const attachmentKeyPattern = `[!#-\\[\\]-~]{1,${attachmentKeyBytesMax}}`;

const Key = Type.String({
  pattern: `^${attachmentKeyPattern}$`,
  expected: '1 to 200 printable ASCII characters without spaces, quotes and backslashes',
});
const Filename = Type.String({
  minLength: 1,
  maxLength: 1000,
  expected: 'a string of 1 to 1000 characters',
});
/** Empty for a file of unknown type, as in browsers. Without the bounds, matching would take time quadratic in the length. */
const ContentType = Type.String({
  pattern: '^(?:[!-~]{1,200}/[!-~][ -~]{0,198})?$',
  expected: 'a content type of at most 400 characters or an empty string',
});

const key = described(
  Key,
  'Key of the attachment, chosen by the client and unique in its organisation: 1 to 200 printable ASCII characters without spaces, quotes and backslashes.',
);
const orgId = optional(Uuid, 'Id of the organisation of the API key.');

export const AttachmentBody = component('AttachmentRequest', {
  key,
  filename: described(Filename, 'File name of the download.'),
  content_type: described(
    ContentType,
    'Content type of the download; if empty, `application/octet-stream`.',
  ),
  org_id: orgId,
});

export const AttachmentStatusBody = component('AttachmentStatusRequest', {
  key,
  org_id: orgId,
  status: described(
    exactly({
      upload_status: Type.Union([Type.Literal('done'), Type.Literal('error')], {
        description: 'Whether the upload is complete or failed.',
      }),
      error_message: optional(Text, 'Error message.'),
    }),
    'Result of the upload.',
  ),
});

export const AttachmentParameters = exactly({
  key: Type.Optional(key),
  url: omittable(
    Type.String({
      minLength: 1,
      maxLength: 8_000,
      documented: { pattern: '^https?://[0-9A-Za-z.-]+(/.*)?$' },
    }),
    'Instead of a key: http or https URL of a file that is stored elsewhere. It is returned unchanged; the server does not fetch it.',
  ),
  filename: omittable(Filename, 'File name of the download; by default that of the upload.'),
  content_type: omittable(
    ContentType,
    'Content type of the download; by default that of the upload.',
  ),
  org_id: omittable(Uuid, 'Id of the organisation of the API key.'),
});

export const ExperimentAttachmentParameters = exactly({
  key: described(Key, 'Key of an attachment that an event of the experiment names.'),
  filename: omittable(Filename, 'File name of the download; by default that of the upload.'),
});

export const SignedParameters = exactly({ token: omittable(Text, 'Signed token of the URL.') });

export const SignedUpload = component('SignedUpload', {
  signedUrl: described(
    Text,
    'URL that accepts the content with PUT, without a key, once, within an hour.',
  ),
  headers: recordOf(Text, {
    description: 'Headers that the PUT requires: none.',
  }),
});

export const Attachment = component('Attachment', {
  downloadUrl: described(
    Text,
    'URL that returns the content to GET, without a key, within an hour.',
  ),
  status: described(
    exactly({
      upload_status: Type.Union(
        [Type.Literal('uploading'), Type.Literal('done'), Type.Literal('error')],
        { description: 'State of the upload.' },
      ),
      error_message: omittable(Text, 'Error that the client reported.'),
    }),
    'State of the upload.',
  ),
});

export type AttachmentRequest = Readonly<Static<typeof AttachmentBody>>;
export type AttachmentStatusRequest = Readonly<Static<typeof AttachmentStatusBody>>;
export type AttachmentQuery = Readonly<Static<typeof AttachmentParameters>>;
export type ExperimentAttachmentQuery = Readonly<Static<typeof ExperimentAttachmentParameters>>;
