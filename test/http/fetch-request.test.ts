import { expect } from 'chai';
import { fetchRequest } from '../../src/http/fetch-request.js';
import { parseJson } from '../../src/json/parse.js';
import { stringifyJson } from '../../src/json/stringify.js';

describe('fetch request', () => {
  it('keeps what is given, and null', () => {
    const body = { limit: 3, cursor: null, version: 'v', filters: null };
    expect(fetchRequest(body)).to.deep.equal({ limit: 3, cursor: null, version: 'v' });
    expect(fetchRequest({})).to.deep.equal({});
  });

  it('keeps the exact numbers and the order of keys in the values of filters', () => {
    const values = ['12345678901234567890', '{"b":1,"10":0.12345678901234567890}', 'null', '"a"'];
    const filters = values.map((value) => `{"type":"path_lookup","path":["a"],"value":${value}}`);
    const request = fetchRequest(parseJson(`{"limit":10,"filters":[${filters.join()}]}`));
    expect(request.limit).to.equal(10);
    expect(request.filters?.map(({ type, path }) => [type, path])).to.deep.equal(
      values.map(() => ['path_lookup', ['a']]),
    );
    expect(request.filters?.map(({ value }) => stringifyJson(value))).to.deep.equal(values);
  });
});
