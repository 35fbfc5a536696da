// The files of `src/manual/deploy`, `compose.yaml` and `compose.cluster.yaml`: the manual names the metrics that a running server has, and they name files that exist.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { settings } from '../../src/settings.js';
import { bucketName, bucketService } from '../support/bucket-service.js';
import { openServer } from '../support/hosted-server.js';
import { createProject } from '../support/objects.js';
import { waitUntil } from '../support/wait-until.js';

const deploy = (name: string) => readFile(`src/manual/deploy/${name}`, 'utf8');

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly volumes: readonly string[];
        readonly build?: string;
        readonly environment?: Readonly<Record<string, string>>;
      }
    >
  >;
}

describe('files for monitoring', () => {
  /** The names of the metrics, without the endings of a histogram. */
  const described = new Set<string>();

  const bucket = bucketService();

  before(async () => {
    const environment = {
      EVALSTORE_BUCKET: `s3://${bucketName}/metrics`,
      EVALSTORE_BUCKET_ENDPOINT: bucket().url,
      EVALSTORE_TRINO_URL: 'http://127.0.0.1:9',
    };
    const server = await openServer({ environment, tuning: {} });
    const made = await server.request('POST', '/v1/api_key', { name: 'm', scope: 'metrics' });
    const key = made.json()['key'] as string;
    const { id } = await createProject(server);
    await server.insert(`project_logs/${id}`, [{ id: 'a' }]);
    const scrape = async () =>
      (await server.request('GET', '/metrics', undefined, { key })).text.split('\n');
    await waitUntil('folders are measured, and a request is counted', async () => {
      const text = (await scrape()).join('\n');
      return /evalstore_folder_bytes\{[\s\S]*request_duration_seconds_count/.test(text);
    });
    for (const line of await scrape())
      if (line.startsWith('# TYPE ')) described.add(line.split(' ')[2]!);
    await server.stop();
  });

  it('have a table of all metrics', async () => {
    const page = await readFile('src/manual/monitoring.md', 'utf8');
    const rows = page.matchAll(/^\| `((?:evalstore|process)_\w+)`/gm);
    expect(Array.from(rows, ([, name]) => name)).to.have.members([...described]);
  });

  it('of a cluster are found by compose.cluster.yaml, which names settings that there are', async () => {
    const { services } = parse(await readFile('compose.cluster.yaml', 'utf8'), {
      merge: true,
    }) as Compose;
    const mounted = Object.values(services)
      .flatMap(({ volumes }) => volumes)
      .filter((volume) => volume.startsWith('./'))
      .map((volume) => volume.split(':')[0]!);
    expect(new Set(mounted)).to.have.property('size', 3);
    expect(mounted.filter((file) => !existsSync(file))).to.deep.equal([]);
    const names = new Set<string>(Object.values(settings).map(({ name }) => name));
    const used = Object.keys(services['evalstore']!.environment ?? {});
    expect(used.filter((name) => !names.has(name) && !name.startsWith('AWS_'))).to.deep.equal([]);
    const catalog = await deploy('trino/evalstore.properties');
    const variables = Array.from(catalog.matchAll(/\$\{ENV:(\w+)\}/g), ([, name]) => name!);
    expect(services['worker']!.environment).to.include.keys(variables);
    expect(services['trino']!.environment).to.deep.equal(services['worker']!.environment);
  });

  it('are found by compose.yaml, and have the form of YAML', async () => {
    const { services } = parse(await readFile('compose.yaml', 'utf8')) as Compose;
    const mounted = Object.values(services)
      .flatMap(({ volumes }) => volumes)
      .filter((volume) => volume.startsWith('./'))
      .map((volume) => volume.split(':')[0]!);
    expect(mounted).to.have.length.above(4);
    expect(mounted.filter((file) => !existsSync(file))).to.deep.equal([]);
    for (const file of mounted)
      expect(parse(await readFile(file, 'utf8')), file).to.be.an('object');
    const scraped = parse(await deploy('prometheus.yaml')) as { rule_files: readonly string[] };
    const prometheus = services['prometheus']!.volumes.map((volume) => volume.split(':')[1]);
    expect(prometheus).to.include.members([...scraped.rule_files]);
  });
});
