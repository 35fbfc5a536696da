// The connection of the commands to a server: its address and its key.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { connect } from '../../src/cli/connection.js';

describe('the connection of a command', () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    response.end('{}');
  });
  let origin = '';
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => asked.splice(0));
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('sends requests below the path of the address', async () => {
    for (const base of ['', '/', '/evalstore', '/evalstore/']) {
      const environment = { EVALSTORE_URL: `${origin}${base}`, EVALSTORE_KEY: 'key' };
      await connect({ environment }).get('/v1/project?limit=1');
    }
    const root = '/v1/project?limit=1 Bearer key';
    expect(asked).to.deep.equal([root, root, `/evalstore${root}`, `/evalstore${root}`]);
  });

  it('takes the variables of the SDKs where it has none of its own', async () => {
    const sdk = { BRAINTRUST_API_URL: origin, BRAINTRUST_API_KEY: 'sdk' };
    await connect({ environment: sdk }).get('/');
    await connect({ environment: { ...sdk, EVALSTORE_KEY: 'own' } }).get('/');
    expect(asked).to.deep.equal(['/ Bearer sdk', '/ Bearer own']);
  });
});
