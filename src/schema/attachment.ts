// Requests and answers about attachments.
import { Type, type Static } from 'typebox';
import { closed, described, optional, Text, Uuid, recordOf } from './scalar.js';

/** Printable ASCII without quotes, which every spelling of JSON leaves as it is. */
const Key = Type.String({ pattern: '^[!#-\\[\\]-~]{1,200}$' });
const Filename = Type.String({ minLength: 1, maxLength: 1000 });
const ContentType = Type.String({ pattern: '^[!-~]+/[!-~][ -~]{0,200}$' });

const key = described(
  Key,
  'Key of the attachment, chosen by the client and unique in its organisation: 1 to 200 printable ASCII characters without spaces, quotes and backslashes.',
);
const orgId = optional(Uuid, 'Id of the organisation of the key that is used.');

export const AttachmentBody = Type.Object(
  {
    key,
    filename: described(Filename, 'Name that the file has when it is downloaded.'),
    content_type: described(ContentType, 'Content type that it is downloaded with.'),
    org_id: orgId,
  },
  { ...closed, title: 'AttachmentRequest' },
);

export const AttachmentStatusBody = Type.Object(
  {
    key,
    org_id: orgId,
    status: Type.Object(
      {
        upload_status: Type.Union([Type.Literal('done'), Type.Literal('error')], {
          description: 'Whether the upload is complete or failed.',
        }),
        error_message: optional(Text, 'What went wrong.'),
      },
      { ...closed, description: 'How the upload ended.' },
    ),
  },
  { ...closed, title: 'AttachmentStatusRequest' },
);

export const AttachmentParameters = Type.Object(
  {
    key: Type.Optional(key),
    url: Type.Optional(
      described(
        Type.String({ minLength: 1, maxLength: 8_000 }),
        'Instead of a key: the http or https address of a file that is kept elsewhere. It is answered as it is: this server does not fetch it.',
      ),
    ),
    filename: Type.Optional(
      described(Filename, 'Name of the download instead of that of the upload.'),
    ),
    content_type: Type.Optional(
      described(ContentType, 'Content type of the download instead of that of the upload.'),
    ),
    org_id: Type.Optional(described(Uuid, 'Id of the organisation of the key that is used.')),
  },
  closed,
);

export const SignedParameters = Type.Object(
  { token: Type.Optional(described(Text, 'The right to this request, as it was signed.')) },
  closed,
);

export const SignedUpload = Type.Object(
  {
    signedUrl: described(
      Text,
      'Address that takes the content with PUT and without a key, once and for an hour.',
    ),
    headers: recordOf(Text, {
      description: 'Headers that the PUT has to have: none.',
    }),
  },
  { ...closed, title: 'SignedUpload' },
);

export const Attachment = Type.Object(
  {
    downloadUrl: described(
      Text,
      'Address that answers the content to GET without a key, for an hour.',
    ),
    status: Type.Object(
      {
        upload_status: Type.Union(
          [Type.Literal('uploading'), Type.Literal('done'), Type.Literal('error')],
          { description: 'Whether the content is there.' },
        ),
        error_message: Type.Optional(described(Text, 'What the client said went wrong.')),
      },
      { ...closed, description: 'State of the upload.' },
    ),
  },
  { ...closed, title: 'Attachment' },
);

export type AttachmentRequest = Readonly<Static<typeof AttachmentBody>>;
export type AttachmentStatusRequest = Readonly<Static<typeof AttachmentStatusBody>>;
export type AttachmentQuery = Readonly<Static<typeof AttachmentParameters>>;
