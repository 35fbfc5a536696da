// Every operation as every caller, and a check of the check: each row of the permission table is replaced by one that asks for less
// or for something else, and some caller has to notice it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createApp } from '../../../src/http/app.js';
import {
  nameOf,
  permissionTable,
  type Need,
  type PermissionTable,
} from '../../../src/http/permission-table.js';
import { all, matrixSuite } from './suite.js';

/** Rows that ask for less, or for something else. */
const wrongRows = (need: Need): readonly Need[] => {
  if (!('permission' in need)) return [];
  return need.permission === 'read'
    ? [{ ...need, permission: 'delete' }]
    : [{ ...need, permission: 'read' }, { where: 'key' }];
};

describe('access of every operation to every caller', function () {
  this.timeout(300_000);
  const matrix = matrixSuite(() => true);

  it('a wrong row is noticed, whichever it is', async () => {
    const unnoticed: string[] = [];
    for (const operation of all) {
      const name = nameOf(operation);
      for (const wrong of wrongRows(permissionTable[name]!)) {
        const table: PermissionTable = { [name]: wrong };
        const server = createServer(
          createApp(matrix.served().services, [operation], table).callback(),
        );
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const few = matrix
          .callers()
          .filter(({ name: caller }) =>
            [
              'viewer',
              'object read',
              'object update',
              'group read',
              'group create',
              'group read_acls',
            ].includes(caller.trim()),
          );
        try {
          if ((await matrix.mistakes(url, name, few).catch(() => ['an odd answer'])).length === 0)
            unnoticed.push(`${name} ${JSON.stringify(wrong)}`);
        } finally {
          server.close();
          server.closeAllConnections();
        }
      }
    }
    expect(unnoticed).to.deep.equal([]);
  });
});
