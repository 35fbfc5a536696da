// What a service, the SDK or the network refuses, as one sentence.

export class BucketError extends Error {
  override readonly name = 'BucketError';
  /** As a missing file has it. */
  readonly code: 'ENOENT' | undefined;

  constructor(message: string, isMissing = false, options?: ErrorOptions) {
    super(message, options);
    this.code = isMissing ? 'ENOENT' : undefined;
  }
}

interface ServiceError extends Error {
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const statusOf = (error: unknown): number | undefined =>
  (error as ServiceError).$metadata?.httpStatusCode;

const noCredentials = 'CredentialsProviderError';

/** Whether the same request may work a little later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof BucketError || (error as Error).name === noCredentials) return false;
  const status = statusOf(error);
  return status === undefined || status < 300 || status === 429 || status >= 500;
}

const elsewhere = 'the bucket is in another region: set AWS_REGION';
const refused = 'the service refuses the credentials';

/** By the name of the error, or else by its status: answers to HEAD have no name. */
const reasons: ReadonlyMap<string, string> = new Map([
  [
    noCredentials,
    'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role',
  ],
  ['NoSuchBucket', 'there is no such bucket'],
  ['InvalidAccessKeyId', refused],
  ['SignatureDoesNotMatch', refused],
  ['InvalidToken', refused],
  ['ExpiredToken', 'the credentials have expired'],
  ['AuthorizationHeaderMalformed', elsewhere],
  ['301', elsewhere],
  ['401', refused],
  ['403', 'the credentials do not allow this'],
  ['404', 'there is no such object'],
]);

/** @param where the address of the bucket or of an object, with which the sentence begins */
export function toBucketError(where: string, error: unknown): BucketError {
  if (error instanceof BucketError) return error;
  const { name, code, message } = error as ServiceError;
  const status = statusOf(error);
  const silence = code ?? (name === 'TimeoutError' ? name : undefined);
  const reason =
    reasons.get(name) ??
    reasons.get(String(status)) ??
    (silence === undefined
      ? `${status === undefined ? '' : `the service answers ${status}: `}${message}`
      : `no answer from the service: ${silence}`);
  const isMissing = status === 404 && name !== 'NoSuchBucket';
  return new BucketError(`${where}: ${reason}`, isMissing, { cause: error });
}
