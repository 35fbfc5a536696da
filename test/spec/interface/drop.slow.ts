// Every parameter and body field has an effect that its probe sees: dropped on the way, the probe fails.
import { expect } from 'chai';
import { clientAt, sharedServer } from '../../support/start-server.js';
import { startDroppingProxy, type DroppingProxy } from './dropping-proxy.js';
import { onceEach, titleOf, type Client } from './probe.js';
import { probes } from './probes.js';

describe('without a parameter or body field its probe fails', () => {
  const server = sharedServer();
  let proxy: DroppingProxy;
  let client: Client;
  const runWhole = onceEach(() => client);

  before(async () => {
    proxy = await startDroppingProxy(server().url);
    client = clientAt(proxy.url);
  });
  after(() => proxy.close());

  for (const probe of probes) {
    it(titleOf(probe), async () => {
      proxy.drop(null);
      await runWhole(probe.run);
      proxy.drop(probe);
      const failed = await probe.run(client).then(
        () => false,
        () => true,
      );
      expect(proxy.drop(null), 'requests that it was dropped from').to.be.greaterThan(0);
      expect(failed, 'the probe fails').to.equal(true);
    });
  }
});
