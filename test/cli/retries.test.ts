// Which requests of a command are sent again.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { connect } from '../../src/cli/connection.js';
import { patient } from '../../src/cli/retries.js';

describe('the requests of a patient client', () => {
  let fates: (number | 'cut')[] = [];
  const server = createServer((request, response) => {
    const fate = fates.shift() ?? 200;
    if (fate === 'cut') request.socket.destroy();
    else response.writeHead(fate, { 'retry-after': '0' }).end('{}');
  });
  let url = '';
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const ask = (isRepeatable: boolean, ...given: readonly (number | 'cut')[]) => {
    fates = [...given];
    const client = connect({ environment: { EVALSTORE_URL: url, EVALSTORE_KEY: 'key' } });
    return patient(client, isRepeatable)
      .post('/', {})
      .then(
        () => 'done',
        (error: Error) => error.message,
      );
  };

  it('wait for what is refused for now', async () => {
    for (const isRepeatable of [true, false])
      expect(await ask(isRepeatable, 429, 503, 429)).to.equal('done');
  });

  it('are sent again without an answer, if they can be done twice', async () => {
    expect(await ask(true, 'cut', 502, 504)).to.equal('done');
    expect(await ask(false, 502)).to.equal('POST /: 502 {}');
    expect(await ask(false, 504)).to.equal('POST /: 504 {}');
    expect(await ask(false, 'cut')).to.match(/^no server answers at /);
  });

  it('end with another refusal at once, and with the same one after some attempts', async () => {
    expect(await ask(true, 400)).to.equal('POST /: 400 {}');
    expect(await ask(true, ...Array.from({ length: 12 }, () => 429))).to.equal('POST /: 429 {}');
    expect(await ask(true, ...Array.from({ length: 11 }, () => 429))).to.equal('done');
  });
});
