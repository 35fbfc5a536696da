// The SDK of buckets is a chunk of the build that only the address of a bucket loads.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { bucketService } from '../support/bucket-service.js';
import { endOf } from '../support/command-line.js';
import { startServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** The files that Node.js has loaded, by the coverage that it writes when it ends. */
const loadedBy = (coverage: string): readonly string[] =>
  readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(path.join(coverage, name), 'utf8')) as {
      result: readonly { url: string }[];
    };
    return result.map(({ url }) => path.basename(url));
  });

const isSdk = (file: string): boolean => /^sdk-\w+\.js$/.test(file);

describe('the SDK of buckets', () => {
  const directory = temporaryDirectory();
  const service = bucketService();
  const at = (name: string) => path.join(directory(), name);
  const coverageAt = (name: string) => {
    mkdirSync(at(name));
    return { NODE_V8_COVERAGE: at(name) };
  };

  for (const [what, words, loads] of [
    ['--help', ['--help'], false],
    ['a backup to a directory', ['backup', 'there'], false],
    ['a restore from a directory', ['restore', 'there', '--list'], false],
    ['a backup to a bucket', ['backup', 's3://there'], true],
  ] as const)
    it(`is ${loads ? '' : 'not '}loaded by ${what}`, async () => {
      const variables = {
        ...coverageAt('coverage'),
        EVALSTORE_DATA_DIR: at('data'),
        EVALSTORE_BUCKET_ENDPOINT: 'http://203.0.113.1',
      };
      await endOf(words, variables);
      const loaded = loadedBy(at('coverage'));
      expect(loaded).to.include('evalstore.cjs');
      expect(loaded.some(isSdk)).to.equal(loads);
    });

  for (const [what, bucket, loads] of [
    ['a server', undefined, false],
    ['a server with a bucket', 's3://evals/loading', true],
  ] as const)
    it(`is ${loads ? '' : 'not '}loaded by ${what}`, async () => {
      const variables = { ...service().environment, EVALSTORE_BUCKET: bucket };
      const environment = { ...coverageAt('coverage'), ...variables };
      const server = await startServer({ dir: at('data'), environment });
      await server.stop();
      const loaded = loadedBy(at('coverage'));
      expect(loaded).to.include('evalstore.cjs');
      expect(loaded.some(isSdk)).to.equal(loads);
    });
});
