// Requests to the server of this page, and their errors.
import { setLost } from './connection.js';
import { dropSession, keepSession, sessionHalf } from './session.js';

/** The error of a request; status 0 if the server is not reachable. */
export class Refusal extends Error {
  readonly status: number;
  /** Seconds to wait before a retry; 0 if the server gave none. */
  readonly retryAfter: number;

  constructor(status: number, message: string, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

export interface RequestOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** A body that is JSON text. */
  readonly text?: string;
  readonly signal?: AbortSignal | undefined;
  /** An API key instead of the session. */
  readonly key?: string;
  /** The secret half of a session instead of the current one. */
  readonly half?: string | null;
}

/** The public URL of the server, without a trailing slash. */
export const serverAddress = new URL('..', document.baseURI).href.replace(/\/$/, '');

function headersOf({ body, text, key, half = null }: RequestOptions): Record<string, string> {
  return {
    ...(body === undefined && text === undefined ? {} : { 'content-type': 'application/json' }),
    ...(key === undefined
      ? half === null
        ? {}
        : { 'x-evalstore-session': half }
      : { authorization: `Bearer ${key}` }),
  };
}

/**
 * Waits for a part of an answer.
 * @throws Refusal if the connection is lost
 */
async function received<T>(part: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await part;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    setLost(true);
    throw new Refusal(0, 'The server cannot be reached.');
  }
}

/** @throws Refusal */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', body, text, signal, half = sessionHalf() } = options;
  const request = fetch(serverAddress + path, {
    method,
    headers: headersOf({ ...options, half }),
    body: text ?? (body === undefined ? null : JSON.stringify(body)),
    signal: signal ?? null,
  });
  const response = await received(request, signal);
  setLost(false);
  if (response.ok) return response;
  const sentence = await received(response.text(), signal);
  const message = sentence || `the server answered with status ${response.status}`;
  // A request of an earlier session does not end this one.
  const isCurrent = options.key === undefined && half === sessionHalf();
  const retryAfter = Number(response.headers.get('retry-after') ?? 0);
  const refusal = new Refusal(response.status, message, retryAfter);
  if (response.status === 401 && isCurrent) dropSession(refusal);
  throw refusal;
}

/**
 * Sends a request and reads the body of the answer.
 * @throws Refusal
 */
export async function readBody<T>(
  path: string,
  options: RequestOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  return received(read(await send(path, options)), options.signal);
}

export const readText = (path: string, options: RequestOptions = {}): Promise<string> =>
  readBody(path, options, (response) => response.text());

export async function readJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return JSON.parse(await readText(path, options)) as T;
}

/** Settles with the answer to the last sign-out, which removes the cookie. */
let signedOut: Promise<unknown> = Promise.resolve();

/** @throws Refusal */
export async function signIn(key: string): Promise<void> {
  await signedOut;
  keepSession(await readJson('/app/session', { method: 'POST', key }));
}

/** Drops the session in the page first, so that no screen sends a request after the server ended it. */
export function signOut(): void {
  const half = sessionHalf();
  dropSession();
  signedOut = send('/app/session', { method: 'DELETE', half }).catch(() => null);
}
