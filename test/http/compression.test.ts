import { expect } from 'chai';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Type } from 'typebox';
import type { Operation } from '../../src/http/operation.js';
import { sharedApplication } from '../support/serve.js';

/** Texts of up to this length are sent as they are. */
const packet = 1024;

/** Around the lengths at which texts are encoded in another way. */
const lengths = [1, 1024, 1025, 16_384, 16_385, 100_000];

/** Of three bytes each: the length in bytes is another one. */
const textOf = (length: number): string => '€'.repeat(length);

const operations = lengths.map((length): Operation => ({
  method: 'get',
  path: `/text/${length}`,
  query: Type.Object({}),
  run: () => ({ contentType: 'text/plain; charset=utf-8', headers: {}, text: textOf(length) }),
}));

describe('compression', () => {
  const served = sharedApplication(operations);

  /** As it comes over the wire: fetch would decode it. */
  async function get(length: number, accepted: string, method = 'GET') {
    const sent = request(`${served().url}/text/${length}`, {
      method,
      headers: { 'Accept-Encoding': accepted },
    });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { headers: answer.headers, body: await buffer(answer) };
  }

  for (const length of lengths) {
    it(`keeps a text of ${length} characters`, async () => {
      const { headers, body } = await get(length, 'gzip, deflate');
      expect(headers['content-encoding']).to.equal(length > packet ? 'gzip' : undefined);
      expect((length > packet ? gunzipSync(body) : body).toString()).to.equal(textOf(length));
    });

    it(`sends the headers alone of a text of ${length} characters for HEAD`, async () => {
      const { headers, body } = await get(length, 'gzip', 'HEAD');
      expect([headers['content-encoding'], body.length]).to.deep.equal([undefined, 0]);
      expect(headers['content-length']).to.equal(String(3 * length));
    });
  }

  it('makes texts of more than a packet shorter', async () => {
    expect((await get(1025, 'gzip')).body.length).to.be.below(100);
  });

  const choices: readonly (readonly [accepted: string, isGzip: boolean])[] = [
    ['*', true],
    ['identity, gzip', true],
    ['br;q=1, gzip;q=0.5', true],
    ['GZIP', true],
    ['gzip;q=0.5, identity', false],
    ['gzip;q=0', false],
    ['*;q=0', false],
    [`gzip, ${'x'.repeat(200)}`, true],
    [`br, ${'x'.repeat(200)}`, false],
  ];
  for (const [accepted, isGzip] of choices) {
    it(`${isGzip ? 'takes' : 'leaves'} gzip for "${accepted.slice(0, 30)}", whatever the length`, async () => {
      // Twice: the second time it is known what the client takes.
      for (const length of [...lengths, ...lengths]) {
        const { headers } = await get(length, accepted);
        const expected = isGzip && length > packet ? 'gzip' : undefined;
        expect(headers['content-encoding'], `${length}`).to.equal(expected);
      }
    });
  }
});
