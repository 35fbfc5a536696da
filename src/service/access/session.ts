// Sessions of browsers. A session has a signed half in a cookie and a secret half that the page sends in a header. Neither
// half is usable alone, and neither holds the key. The server stores nothing: a session ends with its time or with its key.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { partsOf, signedText, type CodeOf } from '../../schema/signed-text.js';
import { requirePrincipal } from './access.js';
import type { Caller, Principal, Services } from '../context.js';

/** The lifetime of a session in milliseconds. */
const sessionMs = 7 * 24 * 3600 * 1000;

const codeBytes = 32;
const halfBytes = 32;

/** Id of the key, hash of the secret half, and the end in milliseconds since 1970. */
const Payload = Type.Tuple([Type.String(), Type.String(), Type.Integer()]);
const payloadValidator = Compile(Payload);

export interface NewSession {
  /** The half that the page keeps. */
  readonly half: string;
  /** The signed half. */
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly userId: string;
}

const hashOf = (half: string): string => createHash('sha256').update(half).digest('base64url');

// The first line distinguishes the signed text from others that use the same secret.
const codeOf =
  (secret: Uint8Array): CodeOf =>
  (payload) =>
    createHmac('sha256', secret).update('session\n').update(payload).digest();

/**
 * @param now milliseconds since 1970
 * @throws RequestError 401 when the request came without a key
 */
export function openSession(
  { signingSecret }: Pick<Services, 'signingSecret'>,
  caller: Caller,
  now: number,
): NewSession {
  const { keyId, userId } = requirePrincipal(caller);
  const half = randomBytes(halfBytes).toString('base64url');
  const expires = now + sessionMs;
  const parts: Static<typeof Payload> = [keyId, hashOf(half), expires];
  return { half, token: signedText(parts, codeOf(signingSecret)), expires, userId };
}

/** Returns null for a token that was not signed here. */
function readToken(token: string, secret: Uint8Array): Static<typeof Payload> | null {
  const parts = partsOf(token, codeBytes, codeOf(secret));
  return payloadValidator.Check(parts) ? parts : null;
}

/** The principal of a session; undefined if a half is wrong, the session has expired, or its key was deleted. */
export function sessionPrincipal(
  { accounts, signingSecret }: Pick<Services, 'accounts' | 'signingSecret'>,
  { half, token }: Pick<NewSession, 'half' | 'token'>,
  now: number,
): Principal | undefined {
  const parts = readToken(token, signingSecret);
  if (parts === null) return undefined;
  const [keyId, hash, expires] = parts;
  return hash === hashOf(half) && now < expires ? accounts.principalOfKeyId(keyId) : undefined;
}

/**
 * The name of the cookie. Browsers send a cookie to all ports of a host, so the name distinguishes the servers of a host. It does
 * not reveal the secret.
 */
export function sessionCookieName({
  config,
  signingSecret,
}: Pick<Services, 'config' | 'signingSecret'>): string {
  const code = createHmac('sha256', signingSecret).update('session cookie\n').digest('hex');
  const name = `evalstore-session-${code.slice(0, 12)}`;
  return isSecure(config.publicUrl) ? `__Host-${name}` : name;
}

/** Whether browsers reach the server with TLS, as far as it knows. */
const isSecure = (publicUrl: string | null): boolean => publicUrl?.startsWith('https:') === true;

/** The header that sets the cookie, or removes it if there is no session. */
export function sessionCookie(services: Services, session: NewSession | null): string {
  const secure = isSecure(services.config.publicUrl) ? '; Secure' : '';
  const age = session === null ? 0 : sessionMs / 1000;
  const value = session?.token ?? '';
  return `${sessionCookieName(services)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`;
}
