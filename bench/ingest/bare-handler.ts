// The floor for single events: a Koa handler that reads and parses the body, and keeps nothing.
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Koa from 'koa';

const app = new Koa();
app.use(async (context) => {
  const body = JSON.parse(await text(context.req)) as {
    readonly events: readonly { readonly id: string }[];
  };
  context.body = { row_ids: body.events.map(({ id }) => id) };
});
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
