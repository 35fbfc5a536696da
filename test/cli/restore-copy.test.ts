// `evalstore restore` from the bucket of a server, whose data directory is lost.
import { rmSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { LatestCopy } from '../../src/store/bucket/latest-copy.js';
import { bucketService } from '../support/bucket-service.js';
import { keysIn } from '../support/bucket-store.js';
import { runHere } from '../support/command-line.js';
import { openServer } from '../support/hosted-server.js';
import { createProject } from '../support/objects.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const manual = readFileSync('src/manual/beyond-one-machine.md', 'utf8');
const [, address = ''] = /^npx evalstore restore (\S+) restored$/m.exec(manual) ?? [];

describe('evalstore restore from the bucket of a server', () => {
  const service = bucketService();
  const directory = temporaryDirectory();
  const at = (name: string) => path.join(directory(), name);
  const open = (name: string) =>
    openServer({ dir: at(name), environment: { EVALSTORE_BUCKET: address }, tuning: {} });
  const restore = (name: string, from = address) => runHere(['restore', from, at(name)]);
  const fileOf = (key: string) => service().fileOf(`production/${key}`);
  const latest = () =>
    JSON.parse(readFileSync(fileOf('manifest/latest.json'), 'utf8')) as LatestCopy;

  it('brings back all that was flushed and copied, and a server takes the bucket over', async () => {
    const server = await open('data');
    const { id } = await createProject(server);
    const log = `project_logs/${id}`;
    await server.insert(log, [
      { id: 'a', input: 1 },
      { id: 'b', input: 'old' },
    ]);
    await server.settle();
    await server.insert(log, [{ id: 'c' }]);
    await server.settle();
    const copied = latest();
    // A later version that is lost does not hide the one that is there.
    await server.insert(log, [{ id: 'b', input: 'lost' }, { id: 'lost' }]);
    await server.stop();
    // What a process leaves that uploads a segment and is killed before it copies the manifest.
    const unlisted = `segments/${id}/00000099.parquet`;
    const metadata = (key: string, suffix: string) => fileOf(key).replace(/object$/, suffix);
    for (const suffix of ['object', 'metadata.json'])
      writeFileSync(
        metadata(unlisted, suffix),
        readFileSync(metadata(`segments/${id}/00000003.parquet`, suffix)),
      );
    writeFileSync(fileOf('manifest/latest.json'), `${JSON.stringify(copied)}\n`);

    const { status, stdout, stderr } = await restore('new');
    expect(stderr).to.equal('');
    const [first, second, ...rest] = stdout.trim().split('\n');
    expect(first).to.match(
      new RegExp(
        `^restored transaction ${copied.transaction} of ${copied.time}: \\d+ files with \\d+\\.\\d MB$`,
      ),
    );
    expect(second).to.equal(
      'not there: events that were acknowledged later, attachments, and objects of more than 8 KB, which the bucket does not have',
    );
    expect(rest).to.deep.equal([`${at('new')}: no problems`]);
    expect(status).to.equal(0);

    const restored = await open('new');
    const inputs = async () =>
      Object.fromEntries(
        (await restored.events(log)).map((event) => [event['id'] as string, event['input']]),
      );
    expect(await inputs()).to.deep.equal({ a: 1, b: 'old', c: null });
    await restored.insert(log, [{ id: 'd' }]);
    await restored.settle();
    expect(await keysIn(service(), 'production')).to.not.include(unlisted);
    expect(latest().key).to.not.equal(copied.key);
    await restored.stop();

    const refused = async (sentence: string) => {
      const found = await restore('refused');
      expect([found.status, found.stdout]).to.deep.equal([1, '']);
      expect(found.stderr).to.equal(`${sentence}\n`);
    };
    const row = (await keysIn(service(), 'production')).find((key) => key.endsWith('.parquet'));
    const moved = readFileSync(fileOf(row!));
    rmSync(fileOf(row!));
    const file = row!.replace('segments/', 'segments/project_id=');
    await refused(`${address}: ${file} is missing`);
    writeFileSync(fileOf(row!), Buffer.concat([moved, Buffer.from('x')]));
    await refused(`${address}: ${file} is damaged, its checksum is wrong`);
    writeFileSync(fileOf(row!), moved);
    // It goes on where it was refused.
    expect((await restore('refused')).stdout).to.match(/: no problems\n$/);
    const newest = latest();
    const { key } = newest;
    writeFileSync(fileOf(key), readFileSync(fileOf(key)).fill(1, 5000, 5001));
    rmSync(at('refused'), { recursive: true, force: true });
    await refused(`${address}: ${key} is damaged, its checksum is wrong`);
    rmSync(fileOf(key));
    await refused(`${address}: ${key} is missing`);
    rmSync(at('refused'), { recursive: true, force: true });
    const outside = JSON.stringify({ ...newest, key: 'manifest/../../meta.duckdb' });
    for (const other of ['{"format":1}', outside]) {
      writeFileSync(fileOf('manifest/latest.json'), other);
      await refused(`${address}/manifest/latest.json is damaged`);
    }
    rmSync(fileOf('manifest/latest.json'));
    await refused(
      `${address}: there is no manifest/latest.json of a server, and there is no backup`,
    );
  });
});
