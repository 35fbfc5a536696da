// The tests of reads pass when every segment is only in the bucket before each of them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { bucketService, noFault } from '../support/bucket-service.js';

const suites = ['newest-reads', 'point-reads'];

describe('with segments that are only in the bucket', () => {
  const service = bucketService();

  it('all tests of reads pass', async () => {
    service().plant(noFault);
    const files = suites.map((name) => `dist/test/store/${name}.test.js`);
    const child = spawn(
      process.execPath,
      ['node_modules/mocha/bin/mocha.js', '--no-config', '--timeout', '300000', ...files],
      { env: { ...process.env, EVALSTORE_TEST_BUCKET: service().url } },
    );
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect(code, output).to.equal(0);
    const fetched = service()
      .requests()
      .filter((request) => request.startsWith('GET') && request.includes('/segments/'));
    expect(fetched.length).to.be.above(20);
  });
});
