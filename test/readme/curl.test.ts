// What stands in for `curl` where it is not installed does the same.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { curlStandIn } from '../support/commands.js';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);

describe('the stand-in for curl', () => {
  const server = sharedServer();
  const directory = temporaryDirectory();

  const curl = async (place: string, ...options: readonly string[]) => {
    const args = [curlStandIn, '-s', `${server().url}${place}`, ...options];
    return (await run(process.execPath, [...args, '-H', `Authorization: Bearer ${server().key}`]))
      .stdout;
  };

  it('sends text, files and methods as the commands of the pages do', async () => {
    const { id } = await createProject(server());
    const log = `/v1/project_logs/${id}`;
    expect(await curl(`${log}/insert`, '-d', '{"events": [{"id": "ä"}]}')).to.equal(
      '{"row_ids":["ä"]}',
    );
    const file = path.join(directory(), 'events.json');
    await writeFile(file, '{"events": [{"id": "b"}]}');
    expect(await curl(`${log}/insert`, '--data-binary', `@${file}`)).to.equal('{"row_ids":["b"]}');
    expect(JSON.parse(await curl(`${log}/fetch`))).to.have.nested.property('events[1].id', 'ä');
    expect(await curl(`/v1/project/${id}`, '-X', 'PATCH', '-d', '{"name": "renamed"}')).to.include(
      '"name":"renamed"',
    );
  });
});
