// `evalstore export`, and `evalstore import` of what it wrote.
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { filesOf, type Manifest, type ProjectManifest } from '../../src/cli/export/manifest.js';
import { uploaded } from '../support/attachments.js';
import { runHere, type Ended } from '../support/command-line.js';
import { contentOf, fillProject } from '../support/exported-project.js';
import { flakyProxy } from '../support/flaky-proxy.js';
import { createProject, listObjects } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { lastLineOn, openTerminal } from '../support/terminal.js';

const manifestIn = (directory: string) =>
  JSON.parse(readFileSync(path.join(directory, 'manifest.json'), 'utf8')) as Manifest;

const projectsNamed = (name: string) => `/v1/project?project_name=${encodeURIComponent(name)}`;

const runAt = ({ url, key }: { url: string; key: string }, words: readonly string[]) =>
  runHere(words, { EVALSTORE_URL: url, EVALSTORE_KEY: key });

const printed = async (ended: Promise<Ended>) => {
  const { status, stdout, stderr } = await ended;
  expect([status, stderr], stdout).to.deep.equal([0, '']);
  return stdout;
};
const refused = async (ended: Promise<Ended>, status: number, sentence: string) => {
  expect(await ended).to.deep.equal({ status, stdout: '', stderr: `${sentence}\n` });
};

describe('evalstore export and import', () => {
  const server = sharedServer();
  const other = sharedServer();
  const directory = temporaryDirectory();

  const run = (...words: readonly string[]) => runAt(server(), words);

  const to = (name = 'out') => path.join(directory(), name);

  const exported = async (name: string, format = 'jsonl') => {
    await printed(run('export', '--project', name, '--to', to(), '--format', format));
    return manifestIn(to()) as ProjectManifest;
  };

  for (const format of ['jsonl', 'parquet'])
    it(`copies a project with everything in it as ${format}`, async () => {
      const name = await fillProject(server());
      const manifest = await exported(name, format);
      expect(manifest).to.include({ format_version: 1, format });
      expect(manifest.project.name).to.equal(name);
      for (const file of filesOf(manifest)) expect(file.rows, file.path).to.be.above(0);
      expect(readdirSync(to()).filter((file) => file.endsWith('.partial'))).to.deep.equal([]);
      const copy = ['import', to(), '--project', `copy of ${name}`];
      const sentence = await printed(runAt(other(), copy));
      const content = await contentOf(server(), name);
      expect(content.attachment).to.equal('bytes');
      expect(content.prompts).to.have.length(6);
      expect(content.evaluated[1]?.comments).to.have.length(1);
      expect(await contentOf(other(), `copy of ${name}`)).to.deep.equal(content);
      expect(await printed(runAt(other(), copy))).to.equal(sentence);
      expect(await contentOf(other(), `copy of ${name}`)).to.deep.equal(content);
    });

  it('has the rows of Parquet as the server answers queries', async () => {
    const { id, name } = await createProject(server());
    await server().insert(`project_logs/${id}`, [{ id: 'a', input: { b: [1] } }, { id: 'b' }]);
    const [logs] = (await exported(name, 'parquet')).events;
    const [file] = logs!.files;
    expect(file).to.include({ rows: 2 });
    expect(readFileSync(path.join(to(), file!.path)).subarray(0, 4).toString()).to.equal('PAR1');
  });

  it('writes an empty project, and imports it', async () => {
    const { name } = await createProject(server());
    expect((await exported(name)).events.flatMap(({ files }) => files)).to.deep.equal([]);
    await printed(runAt(other(), ['import', to()]));
    expect(await contentOf(other(), name)).to.deep.equal(await contentOf(server(), name));
  });

  it('waits for a server that refuses for now, and shows progress on a terminal', async () => {
    const { id, name } = await createProject(server());
    const key = await uploaded(server(), 'x'.repeat(100_000));
    const input = { type: 'braintrust_attachment', key, filename: 'f', content_type: 'text/plain' };
    await server().insert(`project_logs/${id}`, [{ id: 'a', input }]);
    const proxy = await flakyProxy(server().url, () => true, [429, 'cut', 503, 502]);
    const terminal = openTerminal();
    const words = ['export', '--project', name, '--to', to(), '--format', 'jsonl'];
    const variables = { EVALSTORE_URL: proxy.url, EVALSTORE_KEY: server().key };
    await printed(runHere(words, variables, terminal));
    proxy.close();
    expect(filesOf(manifestIn(to())).map(({ rows }) => rows)).to.deep.equal([1, 1, 1]);
    expect(await lastLineOn(terminal)).to.match(/\/out: 1 rows, \d+\/s, 0\.1 MB$/);
    const refusing = await flakyProxy(server().url, () => true, [429, 503]);
    const copy = ['import', to(), '--project', `copy of ${name}`];
    await printed(runHere(copy, { ...variables, EVALSTORE_URL: refusing.url }));
    refusing.close();
  });

  it('writes the rows of a query', async () => {
    const { id } = await createProject(server());
    await server().insert(`project_logs/${id}`, [{ id: 'a', input: 1 }]);
    const query = `select: id, input | from: project_logs('${id}')`;
    await printed(run('export', '--query', query, '--to', to(), '--format', 'jsonl'));
    expect(readFileSync(path.join(to(), 'rows.jsonl'), 'utf8')).to.equal('{"id":"a","input":1}\n');
    expect(manifestIn(to())).to.deep.include({ query });
    await refused(
      run('import', to()),
      1,
      `${to()}: this is an export of a query: import its files by their names`,
    );
  });

  it('leaves a complete export as it is, and refuses another one in its place', async () => {
    const { name } = await createProject(server());
    await exported(name);
    const before = readFileSync(path.join(to(), 'manifest.json'), 'utf8');
    const again = await run('export', '--project', name, '--to', to(), '--format', 'jsonl');
    expect([again.status, again.stdout]).to.deep.equal([0, '']);
    expect(again.stderr).to.match(/: it is complete already\n$/);
    expect(readFileSync(path.join(to(), 'manifest.json'), 'utf8')).to.equal(before);
    await refused(
      run('export', '--project', name, '--to', to()),
      1,
      `${to()}: this is an export of the project ${name} at ${server().url} as jsonl: name another directory`,
    );
  });

  it('refuses a directory with other files, and touches nothing', async () => {
    const { name } = await createProject(server());
    writeFileSync(path.join(directory(), 'mine'), '');
    await refused(
      run('export', '--project', name, '--to', directory()),
      1,
      `${directory()}: this directory is not empty, and it is no export`,
    );
    expect(readdirSync(directory())).to.deep.equal(['mine']);
  });

  it('refuses a project that is not there', async () => {
    await refused(
      run('export', '--project', 'none', '--to', to()),
      1,
      `there is no project "none" at ${server().url}`,
    );
    expect(existsSync(path.join(to(), 'export.partial'))).to.equal(false);
  });

  for (const words of [[], ['--project', 'a', '--query', 'b']])
    it(`refuses ${words.length === 0 ? 'nothing' : 'two things'} to export`, async () => {
      const sentence = 'name what to export: either --project NAME or --query TEXT';
      await refused(run('export', ...words, '--to', to()), 2, sentence);
    });

  it('refuses to import into a project that is there', async () => {
    const { name } = await createProject(server());
    await exported(name);
    await refused(
      run('import', to()),
      1,
      `there is a project "${name}" at ${server().url} already: name another one with --project`,
    );
    expect(readdirSync(to()).filter((file) => file.endsWith('.partial'))).to.deep.equal([]);
  });

  it('refuses to import again what was deleted since', async () => {
    const { name } = await createProject(server());
    await exported(name);
    await printed(runAt(other(), ['import', to()]));
    const [copied] = await listObjects(other(), projectsNamed(name));
    await other().request('DELETE', `/v1/project/${copied!.id}`);
    const journal = readdirSync(to()).find((file) => file.startsWith('import-'))!;
    await refused(
      runAt(other(), ['import', to()]),
      1,
      `the project "${name}" was deleted since it was imported: remove ${path.join(to(), journal)} to import it again`,
    );
  });

  const faults: Readonly<
    Record<string, readonly [(file: string) => void, (file: string) => string]>
  > = {
    'a missing file': [
      (file) => rmSync(file),
      (file) => `${file}: the manifest lists this file, and it is missing`,
    ],
    'a changed file': [
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"a"', '"b"')),
      (file) => `${file}: its content is not what the manifest lists, so it was changed or damaged`,
    ],
  };
  for (const [what, [damage, sentence]] of Object.entries(faults))
    it(`refuses ${what} before it sends anything`, async () => {
      const { id, name } = await createProject(server());
      await server().insert(`project_logs/${id}`, [{ id: 'a' }]);
      const [logs] = (await exported(name)).events;
      const file = path.join(to(), logs!.files[0]!.path);
      damage(file);
      await refused(runAt(other(), ['import', to()]), 1, sentence(file));
      expect(await listObjects(other(), projectsNamed(name))).to.deep.equal([]);
    });

  it('refuses a newer format, and a directory without a manifest', async () => {
    const { name } = await createProject(server());
    const manifest = await exported(name);
    const file = path.join(to(), 'manifest.json');
    writeFileSync(file, JSON.stringify({ ...manifest, format_version: 2 }));
    await refused(
      run('import', to()),
      1,
      `${file}: format 2 is of a newer release, and this one reads up to 1: upgrade Evalstore`,
    );
    writeFileSync(file, '{}');
    await refused(run('import', to()), 1, `${file}: this is no manifest of an export`);
    rmSync(file);
    await refused(
      run('import', to()),
      1,
      `${to()}: this is no complete export, since it has no manifest.json`,
    );
  });
});
