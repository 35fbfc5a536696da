import { expect } from 'chai';
import { RouteTable } from '../../src/http/route-table.js';

describe('the table of routes', () => {
  const table = new RouteTable<string>();
  for (const path of [
    '/health',
    '/v1/thing',
    '/v1/thing/:id',
    '/v1/thing/:id/fetch',
    '/v1/thing/all/fetch',
  ])
    table.at(path, () => path);

  const cases: readonly (readonly [path: string, value: string, id: string])[] = [
    ['/health', '/health', ''],
    ['/HEALTH/', '/health', ''],
    ['/v1/thing', '/v1/thing', ''],
    ['/v1/thing/', '/v1/thing', ''],
    ['/V1/Thing/aB', '/v1/thing/:id', 'aB'],
    ['/v1/thing/a%20b', '/v1/thing/:id', 'a b'],
    ['/v1/thing/%zz', '/v1/thing/:id', '%zz'],
    ['/v1/thing/:id', '/v1/thing/:id', ':id'],
    ['/v1/thing/__proto__/fetch', '/v1/thing/:id/fetch', '__proto__'],
    ['/v1/thing/all', '/v1/thing/:id', 'all'],
    ['/v1/thing/all/fetch', '/v1/thing/all/fetch', ''],
  ];
  for (const [path, value, id] of cases) {
    it(`finds ${value} for ${path}`, () => {
      expect(table.find(path)).to.deep.equal({ value, id });
    });
  }

  const unknown = [
    '',
    '*',
    '/',
    '//',
    'health',
    '/health/x',
    '/v1',
    '/v1/thing//fetch',
    '/v1/thing/a/b',
  ];
  for (const path of [...unknown, `/v1/thing/a/fetch${'/x'.repeat(8000)}`]) {
    it(`finds nothing for ${path.slice(0, 30)}`, () => {
      expect(table.find(path)).to.equal(null);
    });
  }

  it('gives what is at a path already', () => {
    expect(table.at('/health', () => 'another')).to.equal('/health');
  });
});
