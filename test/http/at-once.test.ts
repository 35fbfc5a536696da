// Short texts are sent in one call, and all other answers by Koa: nobody can tell them apart.
import { expect } from 'chai';
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { Type } from 'typebox';
import type { Operation } from '../../src/http/operation.js';
import { jsonReply, textReply, type TextReply } from '../../src/service/reply.js';
import { sharedApplication } from '../support/serve.js';

const replies: Readonly<Record<string, TextReply>> = {
  json: jsonReply('{"a":"ä€😀"}', { 'x-evalstore-version': '1' }),
  text: textReply('one sentence'),
  empty: textReply(''),
  long: textReply('x'.repeat(2 ** 14)),
  longer: textReply('x'.repeat(2 ** 14 + 1)),
  cookie: jsonReply('null', { 'set-cookie': 'a=b; Path=/', 'cache-control': 'no-store' }),
  policy: jsonReply('null', { 'content-security-policy': "default-src 'none'" }),
};

const invalid = jsonReply('null', { 'x-evalstore-version': '\u0100' });

const operations = Object.entries({ ...replies, invalid }).map(([name, reply]): Operation => ({
  method: 'get',
  path: `/${name}`,
  query: Type.Object({}),
  run: () => reply,
}));

/** An answer as it comes over the wire, without what differs from answer to answer. */
interface Answer {
  readonly status: number | undefined;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: string;
}

const changing = /^(date|x-request-id)$/;
/** What only an answer to another origin has. */
const ofOrigins = /^access-control-/;

function pairsOf({ rawHeaders }: IncomingMessage): readonly string[] {
  return rawHeaders.flatMap((name, at) => {
    const isLeftOut = at % 2 === 1 || ofOrigins.test(name.toLowerCase());
    if (isLeftOut) return [];
    return [name, changing.test(name.toLowerCase()) ? '' : rawHeaders[at + 1]!];
  });
}

describe('answers in one call', () => {
  const served = sharedApplication(operations);

  async function get(name: string, headers: IncomingHttpHeaders, method = 'GET'): Promise<Answer> {
    const sent = request(`${served().url}/${name}`, { method, headers });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const body = (await buffer(answer)).toString('latin1');
    return { status: answer.statusCode, headers: pairsOf(answer), body };
  }

  // A request with an origin takes the other way.
  for (const name of Object.keys(replies))
    for (const encoding of ['', 'gzip'])
      it(`equal those by Koa: ${name}${encoding && `, ${encoding}`}`, async () => {
        const accepted = encoding === '' ? {} : { 'accept-encoding': encoding };
        const own = await get(name, accepted);
        expect(own).to.deep.equal(await get(name, { ...accepted, origin: 'http://example.org' }));
        const names = own.headers.filter((_, at) => at % 2 === 0).map((each) => each.toLowerCase());
        expect(new Set(names).size).to.equal(names.length);
        const { headers } = await get(name, accepted, 'HEAD');
        const unpacked = headers.filter((each) => !/content-length|^\d+$/i.test(each));
        expect(own.headers).to.include.members(unpacked);
      });

  it('are errors if a header is not valid', async () => {
    const { status, body } = await get('invalid', {});
    expect(status).to.equal(500);
    expect(body).to.match(/^internal error, request id /);
  });

  it('come in the order of their requests on one connection', async () => {
    const { hostname, port } = new URL(served().url);
    const socket = connect(Number(port), hostname);
    const asked = ['text', 'longer', 'json', 'cookie', 'text'];
    const ended = (at: number) => (at === asked.length - 1 ? 'close' : 'keep-alive');
    socket.write(
      asked
        .map((name, at) => `GET /${name} HTTP/1.1\r\nHost: a\r\nConnection: ${ended(at)}\r\n\r\n`)
        .join(''),
    );
    const bodies = (await text(socket)).split(/HTTP\/1.1 200 OK[^]*?\r\n\r\n/).slice(1);
    expect(bodies).to.deep.equal(asked.map((name) => replies[name]?.text));
  });
});
