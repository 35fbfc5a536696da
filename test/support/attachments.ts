// Short ways to announce, upload and download attachments.
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request as httpRequest, type ClientRequest } from 'node:http';
import path from 'node:path';
import type { Answer, Client } from './client.js';
import type { TestServer } from './test-server.js';

/** Of an absolute address: what a request to the same server names. */
export const pathOf = (address: unknown): string =>
  String(address).replace(/^https?:\/\/[^/]+/, '');

export interface Announced {
  readonly key: string;
  /** Path and query of the signed address. */
  readonly address: string;
}

export async function announce(client: Client, fields: object = {}): Promise<Announced> {
  const said = {
    key: randomUUID(),
    filename: 'a b.png',
    content_type: 'image/png',
    ...fields,
  };
  const answer = await client.post('/attachment', said);
  return { key: said.key, address: pathOf(answer['signedUrl']) };
}

/** Without a key. */
export const upload = (client: Client, address: string, content: unknown): Promise<Answer> =>
  client.request('PUT', address, content, { key: null });

export async function uploaded(
  client: Client,
  content: unknown,
  fields: object = {},
): Promise<string> {
  const { key, address } = await announce(client, fields);
  (await upload(client, address, content)).json();
  return key;
}

/** The answer about the attachment, with the path of its content. */
export async function find(client: Client, key: string, more = '') {
  const answer = await client.request('GET', `/attachment?key=${key}${more}`);
  const { downloadUrl, status } = answer.json();
  return { address: pathOf(downloadUrl), status };
}

export const download = (client: Client, address: string): Promise<Answer> =>
  client.request('GET', address, undefined, { key: null });

/** Names of their files. */
export const filesOf = (dir: string): Promise<readonly string[]> =>
  readdir(path.join(dir, 'attachments'));

/** An upload of which only a part is sent. */
export function beginUpload(server: TestServer, address: string): ClientRequest {
  const request = httpRequest(`${server.url}${address}`, {
    method: 'PUT',
    headers: { 'content-length': '100000' },
  });
  request.on('error', () => {});
  request.write(Buffer.alloc(1000));
  return request;
}

export const isBeingWritten = (dir: string) => async () =>
  (await filesOf(dir)).some((name) => name.endsWith('.tmp'));
