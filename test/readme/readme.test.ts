// README and the manual list what the code declares, and stay short.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { limitsTable, manualPages, settingsTable } from './readme.js';

describe('pages', () => {
  it('README has at most 9 KB', () => {
    expect(readFileSync('README.md').length).to.be.at.most(9 * 1024);
  });

  it('a page of the manual has at most 10 KB, but for the one that is made from the mapping of spans', () => {
    const long = [...manualPages].filter(([, page]) => Buffer.byteLength(page) > 10 * 1024);
    expect(long.map(([file]) => file)).to.deep.equal(['src/manual/spans.md']);
  });

  it('list every setting', () => {
    expect(manualPages.get('src/manual/configuration.md')).to.include(settingsTable());
  });

  it('list every limit of a request', () => {
    expect(manualPages.get('src/manual/limits.md')).to.include(limitsTable());
  });
});
