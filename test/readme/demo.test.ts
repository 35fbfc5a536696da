// The demo, run as the manual says, against a real server.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { evalstore, runEvalstore } from '../support/command-line.js';
import { sharedServer } from '../support/start-server.js';

const run = promisify(execFile);

const problem = (solved: Record<string, boolean>) =>
  JSON.stringify({
    question: 'How much is 1 + 1?',
    ground_truth: '2',
    ...Object.fromEntries(
      Object.entries(solved).map(([name, is_correct]) => [name, { is_correct, solution: '…' }]),
    ),
  });

interface Event {
  readonly id: string;
  readonly input: string;
  readonly dataset_record_id: string;
}

describe('demo', () => {
  const server = sharedServer();
  const read = (path: string) => server().get(path);
  const environment = () => ({
    ...process.env,
    EVALSTORE_URL: server().url,
    EVALSTORE_KEY: server().key,
  });

  /** What it writes to standard error when it fails. */
  const failure = (variables: Record<string, string | undefined>, ...words: readonly string[]) => {
    const { status, stderr } = runEvalstore(['demo', ...words], { ...environment(), ...variables });
    return [status, stderr];
  };

  it('prints the table of its own sample, and shows progress', async () => {
    const { stdout, stderr } = await run(process.execPath, [evalstore, 'demo'], {
      env: environment(),
    });
    expect(stdout).to.include(
      [
        'model  method    count  correct  mean',
        'small  direct    100    40       0.40000',
        'small  verified  100    60       0.60000',
        'large  direct    100    70       0.70000',
        'large  verified  100    90       0.90000',
      ].join('\n'),
    );
    expect(stdout).to.include(
      [
        'experiment      compared with  score    diff     95 % interval of diff  improvements  regressions',
        'small_verified  small_direct   0.60000  0.20000  0.12023 to 0.27977     20            0',
        'large_verified  large_direct   0.90000  0.20000  0.12023 to 0.27977     20            0',
      ].join('\n'),
    );
    expect(stderr).to.include('problems: 100 of 100 records');
    expect(stderr).to.include('large_verified: 100 of 100 events');
  });

  it('reads a file in the form of grade-school-math', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'evalstore-demo-'));
    const file = join(directory, 'solutions.jsonl');
    await writeFile(
      file,
      [
        problem({ '6b_finetuning': false, '6b_verification': true }),
        problem({ '6b_finetuning': true, '6b_verification': true }),
        problem({ '6b_finetuning': false, '6b_verification': false }),
      ].join('\n'),
    );
    const { stdout } = await run(process.execPath, [evalstore, 'demo', file], {
      env: environment(),
    });
    await writeFile(file, problem({ '6b_one': true, '6b_two': true }));
    const single = await run(process.execPath, [evalstore, 'demo', file], { env: environment() });
    await rm(directory, { recursive: true });
    expect(single.stdout).to.include('1.00000  0.00000  unknown to unknown');
    expect(stdout).to.match(/^6b {5}finetuning {4}3 {6}1 {8}0\.33333$/m);
    expect(stdout).to.match(/^6b {5}verification {2}3 {6}2 {8}0\.66667$/m);
  });

  it('links every event to its record in a dataset of the problems', async () => {
    await run(process.execPath, [evalstore, 'demo'], { env: environment() });
    const experiments = await read('/v1/experiment?project_name=sample&limit=4');
    for (const experiment of experiments['objects'] as Record<string, string>[]) {
      const { id = '', dataset_id = '', dataset_version = '' } = experiment;
      const records = await read(`/v1/dataset/${dataset_id}/fetch?version=${dataset_version}`);
      const inputs = new Map(
        (records['events'] as Event[]).map((record) => [record.id, record.input]),
      );
      expect(inputs.size).to.equal(100);
      const { events } = (await read(`/v1/experiment/${id}/fetch`)) as { events: Event[] };
      for (const event of events) expect(inputs.get(event.dataset_record_id)).to.equal(event.input);
    }
  });

  it('says what is wrong', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'evalstore-demo-'));
    const file = join(directory, 'solutions.jsonl');
    await writeFile(file, `${problem({ a_b: true })}\nnot JSON`);
    expect(failure({ EVALSTORE_KEY: undefined })).to.deep.equal([
      2,
      'set EVALSTORE_KEY to the key that the server printed at its first start\n',
    ]);
    expect(failure({ EVALSTORE_URL: 'http://127.0.0.1:1' })).to.deep.equal([
      1,
      'no server answers at http://127.0.0.1:1: start one, or set EVALSTORE_URL\n',
    ]);
    const [status, said] = failure({}, file);
    expect(status).to.equal(1);
    expect(said).to.match(/solutions\.jsonl line 2: /);
    await rm(directory, { recursive: true });
  });

  it('explains itself', async () => {
    const { stdout } = await run(process.execPath, [evalstore, 'demo', '--help']);
    expect(stdout).to.match(/^Usage: evalstore demo \[options\] \[file\]\n/);
  });
});
