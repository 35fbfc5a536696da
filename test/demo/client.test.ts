import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { connect } from '../../src/demo/client.js';

describe('the client of the demo', () => {
  it('sends requests below the path of the address', async () => {
    const paths: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const base of ['', '/', '/evalstore', '/evalstore/'])
      await connect(`${origin}${base}`, 'key').get('/v1/project?limit=1');
    server.closeAllConnections();
    server.close();
    const root = '/v1/project?limit=1';
    expect(paths).to.deep.equal([root, root, `/evalstore${root}`, `/evalstore${root}`]);
  });
});
