// The floor for small requests: node:http alone reads and parses the body, and keeps nothing.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Body {
  readonly events?: readonly { readonly id: string }[];
  readonly rows?: readonly { readonly id: string }[];
}

function answer(response: ServerResponse, text: string): void {
  const { events, rows } = (text === '' ? {} : JSON.parse(text)) as Body;
  const answered = JSON.stringify({ row_ids: (events ?? rows ?? []).map(({ id }) => id) });
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(answered),
  });
  response.end(answered);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => answer(response, Buffer.concat(chunks).toString()));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
