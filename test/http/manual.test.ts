// The pages of the manual: all served without a key, linked with each other, and running nothing.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { sharedServer, type Answer } from '../support/start-server.js';

/** Files that are no page. */
const otherFile = /\.(?:css|png|py|whl)$/;

const matches = (text: string, pattern: RegExp): readonly string[] =>
  Array.from(text.matchAll(pattern), ([, found = '']) => found);

const namesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.basename(file, '.md'));

const linksOf = (text: string) => matches(text, /<a href="([^"]*)"/g);
const anchorsOf = (text: string) => matches(text, / id="([^"]*)"/g);

describe('manual', () => {
  const server = sharedServer();
  const get = (address: string): Promise<Answer> =>
    server().request('GET', address, undefined, { key: null });

  /** Every page that links lead to, from the index on, by its path. */
  async function readPages(): Promise<ReadonlyMap<string, string>> {
    const pages = new Map<string, string>();
    const next = ['/docs/index'];
    for (const address of next) {
      if (pages.has(address)) continue;
      const { status, text } = await get(address);
      expect(status, address).to.equal(200);
      pages.set(address, text);
      const paths = linksOf(text).map((link) => new URL(link, server().url + address));
      next.push(
        ...paths
          .filter(({ origin, pathname }) => origin === server().url && pathname !== '/docs')
          .map(({ pathname }) => pathname)
          .filter((address) => !otherFile.test(address)),
      );
    }
    return pages;
  }

  it('links every page from its index, and the index from the reference', async () => {
    const named = [
      'language',
      ...namesIn('grammar/reference').map((name) => `language-${name}`),
      ...namesIn('src/manual'),
    ];
    expect([...(await readPages()).keys()]).to.have.members(named.map((name) => `/docs/${name}`));
    expect(linksOf((await get('/docs')).text)).to.deep.equal(['docs/index']);
  });

  it('has no link that leads nowhere, and no anchor twice', async () => {
    const pages = await readPages();
    for (const [address, text] of pages) {
      const anchors = anchorsOf(text);
      expect(anchors, address).to.deep.equal([...new Set(anchors)]);
      for (const link of linksOf(text)) {
        const { origin, pathname, hash } = new URL(link, server().url + address);
        if (origin !== server().url) continue;
        const target = await get(pathname);
        expect(target.status, `${address}: ${link}`).to.equal(200);
        if (hash !== '') expect(anchorsOf(target.text), link).to.include(hash.slice(1));
      }
    }
  });

  it('runs nothing, and loads nothing but styles and pictures of this server', async () => {
    for (const [address, text] of await readPages()) {
      const { headers } = await get(address);
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).to.equal(
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(text, address).not.to.match(/<script|<style| style=| on[a-z]+=/);
      expect(matches(text, /<link[^>]* href="([^"]*)"/g)).to.deep.equal(['data:,', 'manual.css']);
      for (const picture of matches(text, /<img[^>]* src="([^"]*)"/g)) {
        expect(picture).to.match(/^[\w-]+\.png$/);
        expect((await get(`/docs/${picture}`)).headers.get('content-type')).to.equal('image/png');
      }
    }
    const { text, headers } = await get('/docs/manual.css');
    expect(headers.get('content-type')).to.equal('text/css; charset=utf-8');
    expect(text).not.to.match(/@import|url\(/);
  });
});
