// Export requests as OpenTelemetry's exporters send them.
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { attributes, exportOf, span, traceId, type Json } from '../otlp/spans.js';
import { testKey, type TestServer } from './start-server.js';

export const json = 'application/json';
export const protobuf = 'application/x-protobuf';

export interface Sent {
  readonly path?: string;
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: Buffer;
  readonly headers: IncomingMessage['headers'];
}

/** As exporters do: in chunks, over a connection that closes. */
export async function postSpans(
  server: TestServer,
  body: string | Uint8Array | readonly Buffer[],
  { path = '/otel/v1/traces', key = testKey, headers = {} }: Sent,
): Promise<Answered> {
  const request = httpRequest(`${server.url}${path}`, {
    method: 'POST',
    headers: { ...(key === null ? {} : { Authorization: `Bearer ${key}` }), ...headers },
  });
  const chunks = Array.isArray(body) ? (body as readonly Buffer[]) : [Buffer.from(body as string)];
  for (const chunk of chunks) request.write(chunk);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'],
    body: await buffer(response),
    headers: response.headers,
  };
}

const field = (number: number, bytes: Uint8Array) =>
  new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes).finish();

const attribute = (key: string, text: string) =>
  field(9, Buffer.concat([field(1, Buffer.from(key)), field(2, field(1, Buffer.from(text)))]));

/** A request in protobuf with one span for each id, which has these attributes. */
export const protobufOf = (
  spanIds: readonly string[],
  texts: Readonly<Record<string, string>> = {},
): Uint8Array =>
  field(
    1,
    field(
      2,
      Buffer.concat(
        spanIds.map((id) =>
          field(
            2,
            Buffer.concat([
              field(1, Buffer.from(traceId, 'hex')),
              field(2, Buffer.from(id, 'hex')),
              ...Object.entries(texts).map(([key, text]) => attribute(key, text)),
            ]),
          ),
        ),
      ),
    ),
  );

export const inParent = (parent: unknown, fields: Json = {}) =>
  span({ ...fields, attributes: attributes({ 'braintrust.parent': parent }) });

/** Options of a request whose header names the parent. */
export const inHeader = (parent: string) => ({ headers: { 'x-bt-parent': parent } });

/** The message of a google.rpc.Status, and the text of a success. */
export function textOf({ status, type, body }: Answered): string {
  if (status < 400) return body.toString();
  if (type === protobuf) return statusOf(body).message;
  return (JSON.parse(body.toString()) as { readonly message: string }).message;
}

/** A google.rpc.Status in protobuf: a code and a message. */
export function statusOf(bytes: Buffer): { readonly code: number; readonly message: string } {
  const reader = new BinaryReader(bytes);
  if (reader.tag()[0] !== 1) throw new Error('the status has no code');
  const code = reader.int32();
  if (reader.tag()[0] !== 2) throw new Error('the status has no message');
  return { code, message: reader.string() };
}

/** @returns the status, and the text of the answer to spans in JSON or the message of its error */
export async function sendSpans(
  server: TestServer,
  spans: readonly unknown[],
  sent: Sent = {},
): Promise<readonly [number, string]> {
  const headers = { 'Content-Type': json, ...sent.headers };
  const body = JSON.stringify(exportOf(spans));
  const answer = await postSpans(server, body, { ...sent, headers });
  return [answer.status, textOf(answer)];
}
