// The permission table: complete, as it was agreed, and what the server does. The slow suite asks as every caller, this one as a share.
import { expect } from 'chai';
import { needOf, nameOf, permissionTable } from '../../../src/http/permission-table.js';
import { agreed } from './expected-permissions.js';
import { all, matrixSuite } from './suite.js';

describe('access of every operation', () => {
  it('has a row for each operation, and no other rows', () => {
    expect(Object.keys(permissionTable).sort()).to.deep.equal(all.map(nameOf).sort());
    expect(() => needOf({ method: 'get', path: '/new' })).to.throw(
      'GET /new is not in the permission table',
    );
  });

  it('is what was agreed', () => {
    const rows = Object.entries(permissionTable).map(([name, need]) => {
      if (!('permission' in need)) return `${name}: ${need.where}`;
      const place = 'isPublic' in need && need.isPublic ? 'path or public' : need.where;
      const types = need.types.length > 5 ? 'any' : need.types.join(' ');
      return `${name}: ${need.permission} ${types} (${place})`;
    });
    const pages = /^GET \/docs\/\S+: open$/;
    expect(rows.filter((row) => !pages.test(row))).to.deep.equal(agreed);
  });

  matrixSuite(({ granted }, need, index) => {
    if (granted === undefined) return true;
    if (!('permission' in need)) return granted.way === 'object' && granted.permission === 'read';
    const share = (granted.way.length + granted.permission.length + index) % 28;
    if (granted.permission !== need.permission) return share === 0;
    return granted.way === 'restricted'
      ? need.types.includes(granted.type!) && need.types.length < 5
      : granted.way === 'object' || share % 4 === 0;
  });
});
