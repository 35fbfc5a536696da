// Traces the server's system calls: before an insert is answered, what it wrote is synced.
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';
import { startServer } from '../support/start-server.js';

const inserts = 30;

const traced = 'fsync,fdatasync,write,writev,pwrite64,pwritev';

interface Call {
  readonly name: string;
  readonly line: string;
}

const readCalls = (trace: string): readonly Call[] =>
  trace.split('\n').flatMap((line) => {
    const name = /(?:\s|^)(pwrite64|pwritev|write|writev|fsync|fdatasync)(?:\(| resumed)/.exec(
      line,
    )?.[1];
    return name === undefined ? [] : [{ name, line }];
  });

const isSync = ({ name }: Call) => name === 'fsync' || name === 'fdatasync';
const isLogWrite = ({ line }: Call) => /\/log\/\d{8}\.log/.test(line);
const isAnswer = ({ line }: Call) => line.includes('HTTP/1.1 200');

/** For every answer of an insert: whether a sync came after the last write to the log. */
function syncedBeforeAnswer(calls: readonly Call[]): readonly boolean[] {
  let synced = true;
  const answers: boolean[] = [];
  for (const call of calls) {
    if (isSync(call)) synced = true;
    else if (isAnswer(call)) answers.push(synced);
    else if (isLogWrite(call)) synced = false;
  }
  return answers;
}

describe('system calls of a commit', () => {
  const directory = temporaryDirectory();

  it('a sync stands between the last write to the log and the answer', async () => {
    const { error } = spawnSync('strace', ['-V']);
    expect(error, 'this test needs Linux and the program strace').to.equal(undefined);
    const trace = join(directory(), 'trace.txt');
    const server = await startServer({
      dir: join(directory(), 'data'),
      wrapper: `strace -D -f -y -s 40 -o ${trace} -e trace=${traced}`.split(' '),
    });
    const { id: projectId } = await createProject(server);
    const path = `/v1/project_logs/${projectId}/insert`;
    const before = readCalls(await readFile(trace, 'utf8')).filter(isAnswer).length;
    for (let number = 0; number < inserts; number++)
      await server.post(path, { events: [{ input: number }] });
    await server.stop();
    await waitUntil('the end of the trace', async () =>
      (await readFile(trace, 'utf8')).includes('+++ exited with'),
    );

    const calls = readCalls(await readFile(trace, 'utf8'));
    const answers = syncedBeforeAnswer(calls).slice(before);
    expect(answers.length).to.be.at.least(inserts);
    expect(answers).to.satisfy((all: boolean[]) => all.every(Boolean));
    expect(calls.filter(isLogWrite).length).to.be.at.least(inserts);
    expect(calls.filter(isSync).length).to.be.at.least(inserts);
  });
});
