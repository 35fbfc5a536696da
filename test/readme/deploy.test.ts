// The files of `src/manual/deploy` and `compose.yaml`: the manual names the metrics that a running server has, and they name files that exist.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { openServer } from '../support/hosted-server.js';
import { createProject } from '../support/objects.js';
import { waitUntil } from '../support/wait-until.js';

const deploy = (name: string) => readFile(`src/manual/deploy/${name}`, 'utf8');

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly volumes: readonly string[]; readonly build?: string }>
  >;
}

describe('files for monitoring', () => {
  /** The names of the metrics, without the endings of a histogram. */
  const described = new Set<string>();

  before(async () => {
    const server = await openServer({ tuning: {} });
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
