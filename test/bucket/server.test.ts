// A server with a bucket, as the manual starts it: what it shows of the bucket, and a copy of it that takes over.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { bucketService } from '../support/bucket-service.js';
import { keysIn } from '../support/bucket-store.js';
import { copyRunning } from '../support/copy-running.js';
import { openServer } from '../support/hosted-server.js';
import { createProject } from '../support/objects.js';
import { runToExit } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const manual = readFileSync('src/manual/beyond-one-machine.md', 'utf8');
const [, address = ''] = /^EVALSTORE_BUCKET=(\S+) npx evalstore start$/m.exec(manual) ?? [];

describe('a server with a bucket', () => {
  const service = bucketService();
  const directory = temporaryDirectory();
  const at = (name: string) => path.join(directory(), name);
  const open = (name: string) =>
    openServer({ dir: at(name), environment: { EVALSTORE_BUCKET: address }, tuning: {} });
  const refused = (bucket: string) =>
    runToExit({ dir: at('two'), environment: { EVALSTORE_BUCKET: bucket } });

  it('shows what is in the bucket, and stores nothing once another one took over', async () => {
    const server = await open('data');
    const { id } = await createProject(server);
    await server.insert(`project_logs/${id}`, [{ id: 'a' }]);
    await server.settle();
    const key = `segments/${id}/00000003.parquet`;
    expect(await keysIn(service(), 'production')).to.include.members(['owner.json', key]);
    const { bucket } = await server.get('/status');
    expect(bucket).to.deep.include({
      address: 's3://evals/production',
      uploaded_segments: 1,
      pending_segments: 0,
      pending_bytes: 0,
      removed_segments: 0,
      failures: 0,
      failure: null,
    });
    expect(Date.parse((bucket as { uploaded: string }).uploaded)).to.be.closeTo(Date.now(), 60_000);
    expect(Date.parse((bucket as { copied: string }).copied)).to.be.closeTo(Date.now(), 60_000);
    const metrics = (await server.request('GET', '/metrics')).text;
    expect(metrics).to.include('evalstore_bucket_segments{state="uploaded"} 1\n');
    expect(metrics).to.include('evalstore_bucket_segments{state="pending"} 0\n');
    expect(metrics).to.include('evalstore_bucket_segments{state="removed"} 0\n');
    expect(metrics).to.include('evalstore_bucket_pending_bytes 0\n');
    expect(metrics).to.match(/^evalstore_bucket_copied_timestamp_seconds \d{10}\b/m);
    expect(metrics).to.include('evalstore_bucket_failures_total 0\n');

    await copyRunning(at('data'), at('copy'));
    const second = await open('copy');
    await server.insert(`project_logs/${id}`, [{ id: 'b' }]);
    await server.settle();
    const insert = () =>
      server.request('POST', `/v1/project_logs/${id}/insert`, { events: [{ id: 'c' }] });
    await waitUntil('the first one notices', async () => (await insert()).status === 503);
    expect((await insert()).text).to.match(
      /^another server with a copy of this data directory took over s3:\/\/evals\/production at .*: this one stores nothing any more, stop it$/,
    );
    expect((await server.request('POST', '/v1/project', { name: 'new' })).status).to.equal(503);
    expect(await server.events(`project_logs/${id}`)).to.have.length(2);
    expect(server.log()).to.include('took over');
    await second.insert(`project_logs/${id}`, [{ id: 'c' }]);
    await second.stop();
    await server.stop();
  });

  // After the other test, whose directory is gone.
  it('does not start with the prefix of another one, or with another address', async () => {
    expect((await refused(address)).log).to.equal(
      'cannot start: s3://evals/production has the data of another store: give this one a prefix of its own in EVALSTORE_BUCKET\n',
    );
    const wrong = await refused('evals/production');
    expect(wrong.log).to.equal(
      'EVALSTORE_BUCKET: expected an address s3://bucket or s3://bucket/prefix, got "evals/production"\n',
    );
  });
});
