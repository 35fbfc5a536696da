// Addresses of pages: however long their parameters are, little of them is sent.
import { expect } from 'chai';
import { addressOf, urlOf } from '../../src/console/kit/address.js';

const page = 'https://evals.example/app/o/p/a/logs';

describe('the address of a page', () => {
  it('is its URL if its parameters are short', () => {
    for (const url of [page, `${page}?f=a%20%3D+1&r=x&r2`])
      expect([addressOf(new URL(url)), urlOf(url).href]).to.deep.equal([url, url]);
  });

  it('has its long parameters in the fragment, and stands for the same view', () => {
    const parameters = {
      f: '多'.repeat(5_000),
      v: '7',
      q: '-- a&b=c#d + "e"\n'.repeat(900),
      r: '',
    };
    const url = new URL(`${page}?${new URLSearchParams(parameters).toString()}`);
    const address = addressOf(url);
    expect(new URL(address).search).to.equal('?v=7&r=');
    expect(Object.fromEntries(urlOf(address).searchParams)).to.deep.equal(parameters);
    expect(urlOf(address).hash).to.equal('');
    expect(addressOf(urlOf(address))).to.equal(address);
  });
});
