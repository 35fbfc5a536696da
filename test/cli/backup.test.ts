// `evalstore backup` to a directory and to a bucket, and `evalstore restore` from them.
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { verified } from '../../src/cli/backup/description.js';
import { someAtOnce } from '../../src/cli/backup/some-at-once.js';
import { startProgress } from '../../src/cli/progress.js';
import { backupRemotes } from '../support/backup-remotes.js';
import { bucketName, bucketService } from '../support/bucket-service.js';
import { endOf, runHere, type BackupDone, type Ended } from '../support/command-line.js';
import { openServer } from '../support/hosted-server.js';
import { createProject } from '../support/objects.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { lastLineOn, openTerminal } from '../support/terminal.js';

const refused = ({ status, stdout, stderr }: Ended, sentence: RegExp) => {
  expect([status, stdout]).to.deep.equal([1, '']);
  expect(stderr).to.match(sentence);
  expect(stderr.match(/\n/g), stderr).to.have.length(1);
};

describe('the files of a backup', () => {
  const file = { path: 'a', bytes: 4, crc32: crc32('good') };
  const noProgress = startProgress({ terminal: new PassThrough() }, { label: '' });

  for (const [content, passed] of [
    [
      ['go', 'od'],
      ['go', 'od'],
    ],
    [['go', 'at'], ['go']],
    [['good', 's'], ['good']],
    [['gold'], []],
    [[], []],
  ] as const)
    it(`are passed on, of ${JSON.stringify(content)} ${JSON.stringify(passed)}, the last chunk if the checksum is right`, async () => {
      const found: string[] = [];
      const read = async () => {
        const chunks = Readable.from(content.map((text) => Buffer.from(text)));
        for await (const chunk of verified(chunks, file, 'there', noProgress))
          found.push(String(chunk));
      };
      if (content.join('') === 'good') await read();
      else
        expect((await rejection(read())).message).to.equal(
          'there: a is damaged, its checksum is wrong',
        );
      expect(found).to.deep.equal(passed);
    });

  it('are copied until one fails, and those that have begun are finished', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const failure = new Error('the third one fails');
    const copy = async (file: number) => {
      begun.push(file);
      if (file === 3) throw failure;
      await setImmediate();
      ended.push(file);
    };
    const files = Array.from({ length: 100 }, (_, i) => i);
    expect(await rejection(someAtOnce(files, copy))).to.equal(failure);
    expect(begun).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(ended).to.deep.equal([0, 1, 2, 4, 5, 6, 7]);
    const all: number[] = [];
    await someAtOnce(files, async (file) => void all.push(file));
    expect(all.toSorted((a, b) => a - b)).to.deep.equal(files);
  });
});

const segments = (keys: readonly string[]) => keys.filter((key) => key.includes('.parquet.'));

for (const { kind, prepare } of backupRemotes)
  describe(`evalstore backup to ${kind}`, () => {
    const directory = temporaryDirectory();
    const remote = prepare();
    const at = (name: string) => path.join(directory(), name);
    const backup = async () => {
      const words = ['backup', remote().target, '--data-dir', at('data'), '--json'];
      const shown = openTerminal();
      const { stdout, stderr } = await runHere(words, {}, shown);
      expect(stderr).to.equal('');
      const done = JSON.parse(stdout) as BackupDone;
      const line = `${remote().target}: ${done.copied_files} files, `;
      expect(await lastLineOn(shown)).to.satisfy((text: string) => text.startsWith(line));
      return done;
    };
    const restored = (name: string) => runHere(['restore', remote().target, at(name)]);

    it('copies only what is new, and a restore has it or names what is damaged', async () => {
      const server = await openServer({ dir: at('data') });
      const { id } = await createProject(server);
      const insert = async (event: object) => {
        await server.insert(`project_logs/${id}`, [event]);
        await server.settle();
      };
      await insert({ id: 'a', input: 'in the first backup' });
      const first = await backup();
      const before = remote().keys();
      expect(before).to.have.length(first.files + 1);
      await insert({ id: 'b', input: 'in the second one' });
      const second = await backup();
      await server.stop();
      const added = remote()
        .keys()
        .filter((key) => !before.includes(key));
      expect(added).to.have.length(second.copied_files + 1);
      expect([segments(before), segments(added)].map(({ length }) => length)).to.deep.equal([1, 1]);

      const shown = openTerminal();
      const { stdout } = await runHere(['restore', remote().target, at('new')], {}, shown);
      expect(stdout).to.match(/: no problems\n$/);
      expect(await lastLineOn(shown)).to.match(
        new RegExp(`/new: ${second.files} files, \\d+/s, \\d+\\.\\d MB \\(100%\\)$`),
      );
      refused(
        await restored('new'),
        /new is not empty: restore into an empty or a new directory$/m,
      );
      const segment = remote().fileOf(segments(added)[0]!);
      const content = readFileSync(segment);
      content[9]! ^= 1;
      writeFileSync(segment, content);
      refused(
        await restored('half'),
        /^\S+: segments\S+\.parquet is damaged, its checksum is wrong$/m,
      );
      expect(existsSync(at('half/meta.duckdb'))).to.equal(false);
      rmSync(segment);
      refused(await restored('half'), /^\S+: segments\S+\.parquet is missing$/m);
    });
  });

const credentials = {
  Code: 'Success',
  AccessKeyId: 'S3RVER',
  SecretAccessKey: 'S3RVER',
  Token: 'token',
  Expiration: '2999-01-01T00:00:00Z',
};

/** What a pod and a machine are told about their role. */
const roles: Readonly<Record<string, unknown>> = {
  '/pod': credentials,
  '/latest/api/token': 'token',
  '/latest/meta-data/iam/security-credentials/': 'role',
  '/latest/meta-data/iam/security-credentials/role': credentials,
};

describe('the credentials of evalstore backup', () => {
  const directory = temporaryDirectory();
  const service = bucketService();
  const at = (name: string) => path.join(directory(), name);

  it('are those of the environment, a file or a role, or are missed in a sentence', async () => {
    const server = await openServer({ dir: at('data') });
    await server.stop();
    writeFileSync(
      at('credentials'),
      '[evals]\naws_access_key_id = S3RVER\naws_secret_access_key = S3RVER\n',
    );
    const metadata = createServer(({ url = '' }, response) => {
      const found = roles[url];
      response.writeHead(found === undefined ? 404 : 200);
      response.end(typeof found === 'object' ? JSON.stringify(found) : found);
    })
      .listen(0, '127.0.0.1')
      .unref();
    await once(metadata, 'listening');
    const url = `http://127.0.0.1:${(metadata.address() as AddressInfo).port}`;
    const file = { AWS_SHARED_CREDENTIALS_FILE: at('credentials') };
    const given = service().environment;
    const none = Object.fromEntries(Object.keys(given).map((name) => [name, undefined]));
    const backup = (target: string, variables: Readonly<Record<string, string>>) =>
      endOf(['backup', target, '--data-dir', at('data')], {
        ...none,
        EVALSTORE_BUCKET_ENDPOINT: service().url,
        AWS_EC2_METADATA_SERVICE_ENDPOINT: `${url}/none`,
        ...variables,
      });
    const address = `s3://${bucketName}/a`;
    for (const right of [
      { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
      { ...file, AWS_PROFILE: 'evals' },
      { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/pod` },
      { AWS_EC2_METADATA_SERVICE_ENDPOINT: url },
    ]) {
      const { status, stderr } = await backup(address, right);
      expect([status, stderr], JSON.stringify(right)).to.deep.equal([0, '']);
    }
    metadata.close();
    refused(await backup(address, {}), /^s3:\/\/evals\/a: there are no credentials: set AWS/m);
    refused(await backup('s3://other/a', given), /^s3:\/\/other\/a: there is no such bucket$/m);
    refused(
      await backup(address, { ...given, AWS_ACCESS_KEY_ID: 'wrong' }),
      /^s3:\/\/evals\/a: the service refuses the credentials$/m,
    );
    refused(
      await backup(address, { ...given, EVALSTORE_BUCKET_ENDPOINT: 'http://203.0.113.1' }),
      /^s3:\/\/evals\/a: 203\.0\.113\.1 is not in a private network, so its address has to begin with https:\/\/$/m,
    );
    expect(await backup(address, { EVALSTORE_BUCKET_ENDPOINT: 'minio' })).to.deep.equal({
      status: 2,
      stdout: '',
      stderr:
        'EVALSTORE_BUCKET_ENDPOINT: expected a URL that begins with https://, or with http:// in a private network, got "minio"\n',
    });
  });
});
