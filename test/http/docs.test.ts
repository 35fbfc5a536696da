// The reference as a page: whole, without a key, and asking nobody but this server.
import { expect } from 'chai';
import { outcome, sharedServer, type Answer } from '../support/start-server.js';

describe('reference page', () => {
  const server = sharedServer();

  const get = (address: string): Promise<Answer> =>
    server().request('GET', address, undefined, { key: null });

  /** Addresses of the files that the page names, but those in the page itself. */
  async function files(): Promise<readonly string[]> {
    const { text } = await get('/docs');
    const named = Array.from(
      text.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]*)"/g),
      ([, address]) => address!,
    );
    return named.filter((address) => !address.startsWith('data:'));
  }

  it('is served without a key, with every file that it names', async () => {
    const page = await get('/docs');
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([
      200,
      'text/html; charset=utf-8',
    ]);
    const types: Record<string, string | null> = {};
    for (const file of await files()) {
      const { status, text, headers } = await get(`/${file}`);
      expect(status, file).to.equal(200);
      expect(text, file).not.to.equal('');
      types[file] = headers.get('content-type');
    }
    expect(types).to.deep.equal({
      'docs/swagger-ui.css': 'text/css; charset=utf-8',
      'docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
      'docs/start.js': 'text/javascript; charset=utf-8',
    });
  });

  it('shows the OpenAPI document of this server', async () => {
    const { text } = await get('/docs/start.js');
    const [, address] = /url: '([^']*)'/.exec(text) ?? [];
    expect(new URL(address!, `${server().url}/docs`).href).to.equal(`${server().url}/openapi.json`);
    expect((await get(`/${address}`)).json()).to.have.property('openapi', '3.1.0');
  });

  it('names no other host in the page, its start and its styles', async () => {
    for (const address of ['/docs', '/docs/start.js', '/docs/swagger-ui.css']) {
      // Names of XML, not addresses.
      const text = (await get(address)).text.replaceAll('http://www.w3.org/', '');
      expect(text, address).not.to.match(/(?:https?:)?\/\/[a-z0-9-]+\.[a-z]/i);
    }
  });

  it('forbids the browser to ask any other host', async () => {
    for (const address of ['/docs', ...(await files()).map((file) => `/${file}`)]) {
      const policy = (await get(address)).headers.get('content-security-policy') ?? '';
      const sources = policy.split('; ').flatMap((directive) => directive.split(' ').slice(1));
      expect(policy, address).to.match(/^default-src 'none';/);
      expect(new Set(sources), address).to.deep.equal(
        new Set(["'none'", "'self'", "'unsafe-inline'", 'data:']),
      );
    }
  });

  it('refuses parameters as every other address does', async () => {
    expect(await outcome(get('/docs?theme=dark'))).to.deep.equal([
      400,
      'unknown query parameter "theme"',
    ]);
  });
});
