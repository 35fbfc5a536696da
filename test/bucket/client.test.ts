// The client of buckets, against an S3 service with planted faults.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { bucketAddress, isInOwnNetwork } from '../../src/bucket/address.js';
import { BucketClient, type BucketOptions } from '../../src/bucket/client.js';
import {
  bucketName,
  bucketService,
  noFault,
  refusal,
  type Fault,
} from '../support/bucket-service.js';
import { rejection } from '../support/rejection.js';

const content = Buffer.from('0123456789'.repeat(10_000));
const whole = { bytes: content.length, crc32: crc32(content), open: () => [content] };

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const found: Buffer[] = [];
  for await (const chunk of chunks) found.push(chunk);
  return Buffer.concat(found).toString();
}

async function keysOf(bucket: BucketClient, prefix: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { key, bytes } of bucket.list(prefix)) found.push(`${key} ${bytes}`);
  return found;
}

/** A page of a list, with one object. */
const page = (key: string, next: string) =>
  `<ListBucketResult><Contents><Key>a/${key}</Key><Size>1</Size></Contents>${next}</ListBucketResult>`;

const messageOf = async (work: Promise<unknown>) => (await rejection(work)).message;
/** What names an object. */
const worksOf = (bucket: BucketClient) => [
  () => textOf(bucket.get('x')),
  () => bucket.put('x', whole),
  () => bucket.delete('x'),
];

describe('addresses of buckets', () => {
  for (const [text, bucket, prefix] of [
    ['s3://evals', 'evals', ''],
    ['s3://evals//', 'evals', ''],
    ['s3://my.evals-1/a/b', 'my.evals-1', 'a/b/'],
    ['s3://evals/a/', 'evals', 'a/'],
  ] as const)
    it(`${text} has a bucket and a prefix`, () => {
      expect(bucketAddress(text)).to.deep.equal({ bucket, prefix });
    });

  for (const text of ['s3:/evals', 's3://', 's3://E', 's3://a', 's3://-evals/a', './s3', 'ftp://b'])
    it(`${text} is none`, () => {
      expect(bucketAddress(text)).to.equal(null);
    });

  for (const [host, isOwn] of [
    ['127.0.0.1', true],
    ['localhost', true],
    ['10.1.2.3', true],
    ['172.31.0.1', true],
    ['192.168.0.9', true],
    ['[::1]', true],
    ['[fd00::1]', true],
    ['::ffff:10.1.2.3', true],
    ['172.32.0.1', false],
    ['203.0.113.1', false],
    ['[2001:db8::1]', false],
  ] as const)
    it(`${host} is ${isOwn ? '' : 'not '}in the own network`, async () => {
      expect(await isInOwnNetwork(host)).to.equal(isOwn);
    });
});

describe('the client of buckets', () => {
  const service = bucketService();
  let before: NodeJS.ProcessEnv | undefined;
  const opened: BucketClient[] = [];

  const openAt = async (address: string, options: Partial<BucketOptions> = {}) => {
    const bucket = await BucketClient.open(bucketAddress(address)!, {
      endpoint: service().url,
      ...options,
    });
    opened.push(bucket);
    return bucket;
  };
  const open = (prefix: string) => openAt(`s3://${bucketName}/${prefix}`);

  /** The first so many requests meet the fault. */
  const plant = (times: number, fault: Fault) => {
    let left = times;
    service().plant(() => (left-- > 0 ? fault : undefined));
  };

  beforeEach(() => {
    before ??= { ...process.env };
    service().plant(noFault);
  });
  afterEach(() => {
    for (const bucket of opened.splice(0)) bucket.close();
    // Not as a whole: the engine notices a change of TZ in the object that it made alone.
    for (const name of Object.keys(process.env))
      if (before?.[name] === undefined) delete process.env[name];
    Object.assign(process.env, before);
  });

  it('puts, gets, lists and deletes objects below its prefix', async () => {
    const bucket = await open('a/b');
    const empty = { bytes: 0, crc32: 0, open: () => [] };
    await bucket.put('one', whole);
    await bucket.put('c/two', empty);
    await (await open('a/bc')).put('three', empty);
    expect(await keysOf(bucket, '')).to.deep.equal(['c/two 0', 'one 100000']);
    expect(await keysOf(bucket, 'c/')).to.deep.equal(['c/two 0']);
    expect(await bucket.head('one')).to.deep.equal({ bytes: 100_000, crc32: whole.crc32 });
    expect(await textOf(bucket.get('one'))).to.equal(String(content));
    expect(await textOf(bucket.get('one', { start: 5, end: 12 }))).to.equal('5678901');
    expect(await textOf(bucket.get('c/two'))).to.equal('');
    await bucket.put('one', {
      ...empty,
      bytes: 1,
      crc32: crc32('x'),
      open: () => [Buffer.from('x')],
    });
    expect(await textOf(bucket.get('one'))).to.equal('x');
    for (let time = 0; time < 2; time += 1) await bucket.delete('one');
    expect(await bucket.head('one')).to.equal(null);
    expect(await keysOf(await open(''), '')).to.deep.equal(['a/b/c/two 0', 'a/bc/three 0']);
  });

  for (const region of ['us-east-1', 'eu-west-1'])
    it(`asks ${region}`, async () => {
      if (region !== 'us-east-1') process.env['AWS_REGION'] = region;
      const signed: string[] = [];
      service().plant(({ headers }) => {
        signed.push(headers.authorization ?? '');
        return undefined;
      });
      await (await open('a')).delete('x');
      expect(signed).to.have.length(1);
      expect(signed[0]).to.include(`/${region}/s3/aws4_request`);
    });

  it('lists all pages', async () => {
    service().plant(({ url = '' }) => ({
      status: 200,
      body: url.includes('continuation-token=next')
        ? page('y', '')
        : page(
            'x',
            '<IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>',
          ),
    }));
    expect(await keysOf(await open('a'), '')).to.deep.equal(['x 1', 'y 1']);
  });

  it('reads the objects of other programs', async () => {
    mkdirSync(path.dirname(service().fileOf('other/x')), { recursive: true });
    writeFileSync(service().fileOf('other/x'), '123');
    const bucket = await open('other');
    service().plant(({ headers }) =>
      headers['x-amz-checksum-mode'] === undefined ? undefined : refusal(501, 'NotImplemented'),
    );
    expect(await bucket.head('x')).to.deep.equal({ bytes: 3, crc32: null });
    expect(await textOf(bucket.get('x'))).to.equal('123');
  });

  for (const [what, fault] of [
    ['is busy', refusal(503, 'SlowDown')],
    ['breaks off', { cutAt: 10 }],
  ] as const)
    it(`repeats what fails because the service ${what}`, async () => {
      const bucket = await open('again');
      plant(1, fault);
      await bucket.put('x', whole);
      expect(service().requests()).to.have.length(2);
      plant(2, fault);
      expect(await textOf(bucket.get('x'))).to.equal(String(content));
      plant(1, fault);
      expect(await textOf(bucket.get('x', { start: 99_900, end: 99_960 }))).to.have.length(60);
      plant(1, fault);
      expect(await keysOf(bucket, '')).to.deep.equal(['x 100000']);
    });

  it('stores nothing if the content fails or is another one', async () => {
    const bucket = await open('failed');
    const failure = new Error('the disk fails');
    const failing = {
      ...whole,
      async *open() {
        yield content.subarray(0, 50_000);
        throw failure;
      },
    };
    expect(await rejection(bucket.put('x', failing))).to.equal(failure);
    expect(service().requests()).to.have.length.at.most(1);
    const other = { ...whole, open: () => [Buffer.from(content).fill('x', 7, 8)] };
    expect((await rejection(bucket.put('x', other))).message).to.equal(
      `s3://${bucketName}/failed/x: the service answers 400: planted`,
    );
    expect(await bucket.head('x')).to.equal(null);
  });

  it('refuses an object of more than 5 GB before it sends anything', async () => {
    const bucket = await open('large');
    const large = { ...whole, bytes: 6 * 2 ** 30 };
    expect((await rejection(bucket.put('x', large))).message).to.equal(
      `s3://${bucketName}/large/x: an object has at most 5 GB, and this one would have 6.0`,
    );
    expect(service().requests()).to.deep.equal([]);
  });

  it('says that an object, a bucket, the right region or the right credentials are missing', async () => {
    const here = await open('none');
    expect(await rejection(textOf(here.get('x')))).to.include({
      message: `s3://${bucketName}/none/x: there is no such object`,
      code: 'ENOENT',
    });
    const other = await openAt('s3://others');
    for (const work of worksOf(other))
      expect(await messageOf(work())).to.equal('s3://others/x: there is no such bucket');
    expect(await messageOf(keysOf(other, ''))).to.equal('s3://others: there is no such bucket');
    plant(Infinity, refusal(403, 'AccessDenied'));
    for (const work of [...worksOf(here), () => here.head('x')])
      expect(await messageOf(work())).to.equal(
        `s3://${bucketName}/none/x: the credentials do not allow this`,
      );
    for (const fault of [
      refusal(301, 'PermanentRedirect'),
      refusal(400, 'AuthorizationHeaderMalformed'),
    ]) {
      plant(Infinity, fault);
      expect(await messageOf(keysOf(here, ''))).to.equal(
        `s3://${bucketName}/none: the bucket is in another region: set AWS_REGION`,
      );
    }
    plant(0, 'silence');
    process.env['AWS_ACCESS_KEY_ID'] = 'wrong';
    for (const work of worksOf(await open('none')))
      expect(await messageOf(work())).to.equal(
        `s3://${bucketName}/none/x: the service refuses the credentials`,
      );
    delete process.env['AWS_ACCESS_KEY_ID'];
    process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
    expect(await messageOf(keysOf(await open('none'), ''))).to.equal(
      `s3://${bucketName}/none: there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role`,
    );
  });

  it('says that the service does not answer', async () => {
    plant(Infinity, refusal(503, 'SlowDown'));
    expect(await messageOf((await open('a')).delete('x'))).to.equal(
      `s3://${bucketName}/a/x: the service answers 503: planted`,
    );
    expect(service().requests()).to.have.length(3);
    plant(Infinity, 'silence');
    const silent = await openAt(`s3://${bucketName}/a`, { silentMsMax: 50 });
    expect(await messageOf(silent.delete('x'))).to.equal(
      `s3://${bucketName}/a/x: no answer from the service: TimeoutError`,
    );
    const down = await openAt(`s3://${bucketName}`, { endpoint: 'http://127.0.0.1:1' });
    expect(await messageOf(down.put('x', whole))).to.equal(
      `s3://${bucketName}/x: no answer from the service: ECONNREFUSED`,
    );
  });

  it('sends nothing without encryption outside of the own network', async () => {
    const refused = `s3://${bucketName}: 203.0.113.1 is not in a private network, so its address has to begin with https://`;
    const endpoint = 'http://203.0.113.1:9000';
    expect(await messageOf(keysOf(await openAt(`s3://${bucketName}`, { endpoint }), ''))).to.equal(
      refused,
    );
    process.env['AWS_ENDPOINT_URL_S3'] = endpoint;
    const bucket = await openAt(`s3://${bucketName}`, { endpoint: null });
    for (const work of worksOf(bucket)) expect(await messageOf(work())).to.include('203.0.113.1');
  });
});
