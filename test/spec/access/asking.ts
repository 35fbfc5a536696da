// Short ways to ask a server about organisations, groups, ACLs and keys.
import { randomUUID } from 'node:crypto';
import type { StoredObject } from '../../support/objects.js';
import { connectRaw, requestHead } from '../../support/raw-connection.js';
import type { Json, TestServer } from '../../support/start-server.js';
import { waitUntil } from '../../support/wait-until.js';

export interface Added {
  readonly id: string;
  readonly email: string | null;
  readonly service_token: string;
}

/** An id that nothing has. */
export const nobody = '00000000-0000-4000-8000-000000000000';

export interface SlowRequest {
  readonly path: string;
  readonly body: unknown;
  readonly headers?: readonly string[];
}

/** Sends a POST, and its body after `meanwhile`, when the server has accepted the head. Returns the answer. */
export async function askSlowly(
  { url }: TestServer,
  key: string,
  { path, body, headers = [] }: SlowRequest,
  meanwhile: () => Promise<unknown>,
): Promise<string> {
  const text = JSON.stringify(body);
  const head = requestHead(
    'POST',
    path,
    `Authorization: Bearer ${key}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Expect: 100-continue',
    'Connection: close',
    ...headers,
  );
  const { socket, received, closed } = await connectRaw(url, head);
  await waitUntil('the server asks for the body', () => received().includes('100 Continue'));
  await meanwhile();
  socket.write(text);
  await closed;
  return received();
}

export function asking(server: () => TestServer) {
  const ask = (method: string, path: string, body?: unknown, key: string = server().key) =>
    server().request(method, path, body, { key });
  const json = async (method: string, path: string, body?: unknown, key?: string) =>
    (await ask(method, path, body, key)).json();
  const listed = async (path: string, key?: string) =>
    (await json('GET', path, undefined, key))['objects'] as readonly StoredObject[];
  const invite = async (invite_users: Json) =>
    (await json('PATCH', '/v1/organization/members', { invite_users }))[
      'added_users'
    ] as readonly Added[];
  /** A service account with a token. */
  const addAccount = async (groups: readonly string[] = []) => {
    const service_accounts = [{ name: randomUUID(), token_name: 't' }];
    return (await invite({ service_accounts, group_names: groups }))[0]!;
  };
  const organizationId = async () => (await listed('/v1/organization'))[0]!.id;
  return { ask, json, listed, invite, addAccount, organizationId };
}
