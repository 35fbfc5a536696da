// `evalstore purge` against a server.
import { expect } from 'chai';
import { runHere } from '../support/command-line.js';
import { createDataset, createExperiment, createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';

describe('the command purge', () => {
  const server = sharedServer();
  let project = { id: '', name: '' };
  before(async () => {
    project = await createProject(server());
  });

  const run = (...words: readonly string[]) =>
    runHere(['purge', ...words], { EVALSTORE_URL: server().url, EVALSTORE_KEY: server().key });

  const ids = async (object: string) => (await server().events(object)).map(({ id }) => id);

  it('removes by a filter and by ids, waits, and prints what went', async () => {
    const [experiment, dataset] = [
      await createExperiment(server(), project.id),
      await createDataset(server(), { project_id: project.id }),
    ];
    for (const [object, target] of [
      [`project_logs/${project.id}`, ['--logs']],
      [`experiment/${experiment.id}`, ['--experiment', experiment.name]],
      [`dataset/${dataset.id}`, ['--dataset', dataset.name]],
    ] as const) {
      await server().insert(object, [
        { id: 'a', input: 'x' },
        { id: 'b', input: 'y' },
        { id: 'c', input: 'z' },
        { id: 'd', input: 'z' },
      ]);
      const named = ['--project', project.name, ...target];
      const filtered = await run(...named, '--filter', "input = 'x'");
      expect(filtered.stderr).to.equal('');
      expect(filtered.stdout).to.match(/^removed 1 row versions, \d+\.\d MB\n$/);
      expect(await ids(object)).to.have.members(['b', 'c', 'd']);
      const { stdout } = await run(...named, '--id', 'b', '--id', 'c', '--json');
      expect(JSON.parse(stdout)).to.include({ kind: 'purge', state: 'done', rows: 2 });
      expect(await ids(object)).to.deep.equal(['d']);
    }
  });

  it('says what is wrong, with the exit codes of all commands', async () => {
    const logs = ['--project', project.name, '--logs'];
    for (const [words, status, sentence] of [
      [['--logs', '--id', 'a'], 2, 'name the project of the events with --project'],
      [
        ['--project', 'p', '--id', 'a'],
        2,
        'say where the events are with one of --experiment, --dataset and --logs',
      ],
      [
        [...logs, '--dataset', 'd', '--id', 'a'],
        2,
        'say where the events are with one of --experiment, --dataset and --logs',
      ],
      [logs, 2, 'say which events go with either --filter or --id'],
      [
        [...logs, '--id', 'a', '--filter', 'x'],
        2,
        'say which events go with either --filter or --id',
      ],
      [
        ['--project', 'no such', '--logs', '--id', 'a'],
        1,
        `there is no project "no such" at ${server().url}`,
      ],
      [
        ['--project', project.name, '--dataset', 'no such', '--id', 'a'],
        1,
        'there is no dataset "no such" in the project',
      ],
      [
        [...logs, '--filter', ''],
        1,
        `POST /v1/project_logs/${project.id}/purge: 400 filter: expected a condition, got an empty text: delete the object to remove all of its events`,
      ],
    ] as const)
      expect(await run(...words)).to.deep.equal({ status, stdout: '', stderr: `${sentence}\n` });
  });
});
