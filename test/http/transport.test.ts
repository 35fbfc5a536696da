import { expect } from 'chai';
import { request } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createProject, listObjects, type StoredObject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

interface RawAnswer {
  readonly status: number | undefined;
  readonly encoding: string | undefined;
  readonly body: Buffer;
}

const securityHeaders = {
  'content-security-policy':
    "default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';img-src 'self' data:;object-src 'none';script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

describe('transport', () => {
  const server = sharedServer();

  /** As it comes over the wire: fetch would decode it. */
  const raw = (path: string, acceptEncoding: string): Promise<RawAnswer> =>
    new Promise((resolve, reject) => {
      const headers = {
        Authorization: 'Bearer test-key-of-tests',
        'Accept-Encoding': acceptEncoding,
      };
      const sent = request(`${server().url}${path}`, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode,
            encoding: response.headers['content-encoding'],
            body: Buffer.concat(chunks),
          }),
        );
      });
      sent.once('error', reject);
      sent.end();
    });

  it('compresses every answer of more than a packet with gzip when that is accepted, errors too', async () => {
    for (const [path, status] of [
      ['/docs/index', 200],
      ['/openapi.json', 200],
      [`/v1/${'n'.repeat(2000)}`, 404],
    ] as const) {
      const answer = await raw(path, 'gzip, deflate, br, zstd');
      expect([answer.status, answer.encoding], path).to.deep.equal([status, 'gzip']);
      expect(gunzipSync(answer.body).toString()).to.equal(
        (await raw(path, 'identity')).body.toString(),
      );
    }
  });

  for (const accepted of ['identity', '', 'br', '*;q=0', 'identity;q=0, br']) {
    it(`does not compress for Accept-Encoding "${accepted}"`, async () => {
      const answer = await raw('/docs/index', accepted);
      expect([answer.status, answer.encoding]).to.deep.equal([200, undefined]);
      expect(answer.body.toString()).to.match(/^<!doctype html>/);
    });
  }

  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense', '']) {
    it(`reads JSON sent as "${type}"`, async () => {
      const body = Buffer.from(JSON.stringify({ name: `sent as ${type}` }));
      const answer = await server().request('POST', '/v1/project', body, {
        headers: type === '' ? {} : { 'Content-Type': type },
      });
      expect(answer.json()['name']).to.equal(`sent as ${type}`);
    });
  }

  it('reads a body compressed with gzip', async () => {
    const body = gzipSync(JSON.stringify({ name: 'compressed ünïcode' }));
    const answer = await server().request('POST', '/v1/project', body, {
      headers: { 'Content-Encoding': 'gzip' },
    });
    expect(answer.json()['name']).to.equal('compressed ünïcode');
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    for (const path of ['/health', '/v1/project']) {
      const answer = await server().request('HEAD', path);
      expect([answer.status, answer.text]).to.deep.equal([200, '']);
      expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    }
  });

  it('streams a list that is longer than one read', async () => {
    const made: StoredObject[] = await Promise.all(
      Array.from({ length: 250 }, (_, index) => createProject(server(), { name: `many ${index}` })),
    );
    const listed = await listObjects(server(), '/v1/project?limit=250');
    expect(new Set(listed.map(({ id }) => id))).to.deep.equal(new Set(made.map(({ id }) => id)));
  });

  it('sends all security headers with every answer, also with a refusal', async () => {
    for (const path of ['/health', '/v1/nothing']) {
      const { headers } = await server().request('GET', path);
      const sent = Object.fromEntries(
        Object.keys(securityHeaders).map((name) => [name, headers.get(name)]),
      );
      expect(sent, path).to.deep.equal(securityHeaders);
    }
  });

  it('says nothing of other origins to a client that names none', async () => {
    const { headers } = await server().request('GET', '/health');
    expect(headers.has('access-control-allow-origin')).to.equal(false);
    expect(headers.get('vary')).to.equal('Accept-Encoding, Origin');
  });

  it('sends security headers, and lets pages of other origins read the answers', async () => {
    const { headers } = await server().request('GET', '/health', undefined, {
      headers: { Origin: 'https://example.org' },
    });
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('access-control-allow-origin')).to.equal('*');
    expect(headers.get('access-control-expose-headers')).to.equal(
      'etag,x-evalstore-cursor,x-bt-cursor,x-bt-freshness-state,x-evalstore-version,x-evalstore-columnstore,x-evalstore-rows,x-evalstore-misfits,server-timing,accept-ranges,content-range,x-bt-found-existing,x-request-id',
    );
  });

  it('answers the preflight of a browser without a key', async () => {
    const { status, headers } = await server().request('OPTIONS', '/v1/project', undefined, {
      key: null,
      headers: {
        Origin: 'https://example.org',
        'Access-Control-Request-Method': 'PATCH',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    expect(status).to.equal(204);
    expect(headers.get('access-control-allow-methods')).to.contain('PATCH');
    expect(headers.get('access-control-allow-headers')).to.equal('authorization');
  });

  it('keeps the response of an error varied by encoding and origin', async () => {
    const { headers } = await server().request('GET', '/v1/nothing');
    expect(headers.get('vary')).to.equal('Accept-Encoding, Origin');
  });
});
