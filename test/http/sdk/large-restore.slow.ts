// Restoring has the limit of inserts.
import { expect } from 'chai';
import { createDataset } from '../../support/objects.js';
import { outcome, sharedServer } from '../../support/start-server.js';

describe('restoring a large dataset', () => {
  const server = sharedServer();

  it('refuses more records than one insert may have', async () => {
    const { id } = await createDataset(server());
    const post = (path: string, body: unknown) =>
      server().request('POST', `/v1/dataset/${id}/${path}`, body);
    for (const prefix of ['a', 'b']) {
      const events = Array.from({ length: 60_000 }, (_, index) => ({ id: `${prefix}${index}` }));
      expect((await post('insert', { events })).status).to.equal(200);
    }
    expect(await outcome(post('restore', { version: '1' }))).to.deep.equal([
      400,
      'version: 120000 records differ from it, the limit of a restore is 100000',
    ]);
  });
});
