// What `evalstore check` says about attachments and large objects, and what the server does with a damaged object.
import { mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { filesOf, uploaded } from '../support/attachments.js';
import { runEvalstore } from '../support/command-line.js';
import { openServer } from '../support/hosted-server.js';
import { createProject } from '../support/objects.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('evalstore check', () => {
  const directory = temporaryDirectory();

  const check = () => {
    const { status, stdout } = runEvalstore(['check'], { EVALSTORE_DATA_DIR: directory() });
    return { status, lines: stdout.trimEnd().split('\n') };
  };

  it('finds attachments that are missing or have another size', async () => {
    const server = await openServer({ dir: directory() });
    for (const content of ['missing', 'shorter', 'sound']) await uploaded(server, content);
    await server.stop();
    expect(check()).to.deep.equal({ status: 0, lines: [`${directory()}: no problems`] });
    const [missing = '', shorter = ''] = [...(await filesOf(directory()))].sort();
    await rm(path.join(directory(), 'attachments', missing));
    await truncate(path.join(directory(), 'attachments', shorter), 3);
    expect(check()).to.deep.equal({
      status: 1,
      lines: [
        ...[missing, shorter].map(
          (file) => `the file attachments/${file} is missing or damaged: restore it from a backup`,
        ),
        `${directory()}: 2 problems`,
      ],
    });
  });
  it('lists the files that a crash left, which are no problem', async () => {
    const server = await openServer({ dir: directory() });
    await server.stop();
    const left = ['project_id=p/00000009.parquet', 'unpublished/project_id=p/00000009.moving'];
    for (const name of left) {
      const file = path.join(directory(), 'segments', name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, '');
    }
    expect(check()).to.deep.equal({
      status: 0,
      lines: [
        ...left.map((name) => `segments/${name}: left by a crash, removed at the next start`),
        `${directory()}: no problems`,
      ],
    });
  });
  it('finds the file of a large object that is damaged, which only requests for the object need', async () => {
    const server = await openServer({ dir: directory() });
    const made = async (name: string) => {
      const settings = { text: name.repeat(10_000) };
      const { id } = await createProject(server);
      await server.request('PATCH', `/v1/project/${id}`, { settings });
      return id;
    };
    const sound = await made('a');
    const [soundFile] = await readdir(path.join(directory(), 'objects'));
    const damaged = await made('b');
    await server.stop();
    expect(check()).to.deep.equal({ status: 0, lines: [`${directory()}: no problems`] });
    const files = await readdir(path.join(directory(), 'objects'));
    const file = files.find((name) => name !== soundFile) ?? '';
    await truncate(path.join(directory(), 'objects', file), 9_000);
    const problem = `the file objects/${file} is missing or damaged: restore it from a backup`;
    expect(check()).to.deep.equal({ status: 1, lines: [problem, `${directory()}: 1 problem`] });
    await writeFile(path.join(directory(), 'objects', 'unfinished.tmp'), '');
    const again = await openServer({ dir: directory() });
    const answers = [sound, damaged].map((id) => again.request('GET', `/v1/project/${id}`));
    const [first, second] = await Promise.all(answers);
    expect(first).to.include({ status: 200 });
    expect(second).to.include({ status: 503, text: problem });
    expect(await again.request('GET', '/v1/project')).to.include({ status: 503, text: problem });
    expect(await again.request('DELETE', `/v1/project/${damaged}`)).to.include({ status: 200 });
    expect(await again.request('GET', '/v1/project')).to.include({ status: 200 });
    await again.stop();
    expect(await readdir(path.join(directory(), 'objects'))).to.deep.equal([soundFile]);
  });
});
