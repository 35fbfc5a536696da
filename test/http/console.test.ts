// The console as files: what is served under which address, with which headers, and how large it is.
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { sharedServer, type Answer } from '../support/start-server.js';

/** Of the first view: with gzip, in bytes. */
const scriptBytesMax = 200_000;
const styleBytesMax = 15_000;

const filesOf = (page: string): readonly string[] =>
  Array.from(page.matchAll(/(?:src|href)="(-\/[^"]*)"/g), ([, name]) => `/app/${name}`);

describe('console', () => {
  const server = sharedServer();

  const get = (address: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    server().request('GET', address, undefined, { key: null, headers });

  /** What a browser loads before it shows anything: the files that the page names, and what they import. */
  async function firstView(): Promise<ReadonlyMap<string, string>> {
    const loaded = new Map<string, string>();
    const wanted = [...filesOf((await get('/app')).text)];
    for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
      if (loaded.has(path)) continue;
      const { text } = await get(path);
      loaded.set(path, text);
      for (const [, name] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g))
        wanted.push(`/app/-/${name}`);
    }
    return loaded;
  }

  it('is one page for every address below /app, without a key', async () => {
    const page = await get('/app');
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(page.text).to.include('<base href="/app/">');
    for (const address of [
      '/app/',
      '/app/evalstore/p/a%2Fb%20%25%3F%23/logs?f=x',
      '/app/session',
      '/app/-/nothing.js',
      '/app/-/..%2F..%2Fpackage.json',
      '/app/evalstore/object?object_type=experiment',
    ])
      expect((await get(address)).text, address).to.equal(page.text);
  });

  for (const [address, goal] of [
    ['/', '/app'],
    // From here, the reference and the manual would not find their files.
    ['/docs/', '/docs'],
    ['/docs/index/', '/docs/index'],
    ['//docs//', '/docs'],
  ] as const)
    it(`leads from ${address} to ${goal}`, async () => {
      const response = await fetch(server().url + address, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).to.deep.equal([302, goal]);
    });

  it('is one page at one address, though clients join a base URL with a slash to its path', async () => {
    const address = `${server().url}//app//evalstore/p/a%2Fb?f=x//y`;
    const response = await fetch(address, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).to.deep.equal([
      302,
      '/app/evalstore/p/a%2Fb?f=x//y',
    ]);
  });

  it('leaves every other address alone', async () => {
    expect((await get('/application')).status).to.equal(401);
  });

  // HAProxy checks a server with OPTIONS of /, unless told otherwise.
  for (const [address, allowed] of [
    ['/', 'HEAD, GET'],
    ['/app', 'HEAD, GET'],
    ['/app/evalstore/p/a', 'HEAD, GET'],
    ['/app/session', 'HEAD, GET, POST, DELETE'],
    ['/health', 'HEAD, GET'],
  ] as const)
    it(`answers OPTIONS of ${address} without a key, and names its methods to others`, async () => {
      const options = await server().request('OPTIONS', address, undefined, { key: null });
      expect([options.status, options.text, options.headers.get('allow')]).to.deep.equal([
        200,
        '',
        allowed,
      ]);
      const { status, text, headers } = await server().request('PUT', address);
      expect([status, text, headers.get('allow')]).to.deep.equal([
        405,
        `${address} takes ${allowed}, not PUT`,
        allowed,
      ]);
    });

  it('may run its own files alone, and ask its own server alone', async () => {
    const policy = (await get('/app')).headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).to.include.members([
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data: blob:",
      "media-src 'self' blob:",
      "frame-ancestors 'none'",
    ]);
    expect(policy).not.to.include('https:');
    expect(policy).not.to.include('upgrade-insecure-requests');
    expect((await get('/app')).text).not.to.match(/<script(?![^>]* src=)/);
  });

  it('works over plain http: browsers are sent nothing that they take from trusted addresses only', async () => {
    const { headers } = await get('/app');
    expect(headers.get('cross-origin-opener-policy')).to.equal(null);
    expect(headers.get('origin-agent-cluster')).to.equal(null);
  });

  it('has files that are kept for good, and a page that is asked for every time', async () => {
    expect((await get('/app')).headers.get('cache-control')).to.equal('no-cache');
    const files = filesOf((await get('/app')).text);
    expect(files).to.have.length.of.at.least(2);
    for (const path of files) {
      expect(path).to.match(/-[A-Z0-9]{8}\.(?:js|css)$/);
      const { status, headers } = await get(path);
      expect([status, headers.get('cache-control')], path).to.deep.equal([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });

  it('is compressed for those who take that', async () => {
    const [path = ''] = filesOf((await get('/app')).text);
    const packed = await fetch(server().url + path, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).to.equal('gzip');
    const plain = await get(path);
    expect(plain.headers.get('content-encoding')).to.equal(null);
    expect(await packed.text()).to.equal(plain.text);
    expect(gunzipSync(gzipSync(plain.text)).length).to.equal(Buffer.byteLength(plain.text));
  });

  it('loads at most 200 kB of script and 15 kB of styles at first', async () => {
    const sizes = { js: 0, css: 0 };
    for (const [path, text] of await firstView())
      sizes[path.endsWith('.css') ? 'css' : 'js'] += gzipSync(text, { level: 9 }).length;
    expect(sizes.js).to.be.within(50_000, scriptBytesMax);
    expect(sizes.css).to.be.within(1_000, styleBytesMax);
  });

  it('names no other host', async () => {
    const names = [...(await firstView()).values()].flatMap((text) =>
      Array.from(text.matchAll(/https?:\/\/((?:[a-z0-9-]+\.)+[a-z0-9]+)/g), ([, host]) => host),
    );
    // Names of XML, and the page about errors of React, which is a text.
    expect(new Set(names)).to.deep.equal(new Set(['www.w3.org', 'react.dev']));
  });
});

describe('console behind a proxy', () => {
  const server = sharedServer({
    environment: { EVALSTORE_PUBLIC_URL: 'https://evals.example/base/' },
  });

  it('finds its files and its server below the path of the public address', async () => {
    const { text } = await server().request('GET', '/app', undefined, { key: null });
    expect(text).to.include('<base href="/base/app/">');
    for (const [address, goal] of [
      ['/', '/base/app'],
      ['/docs/', '/base/docs'],
    ] as const) {
      const response = await fetch(server().url + address, { redirect: 'manual' });
      expect(response.headers.get('location')).to.equal(goal);
    }
  });
});
