// The SDK reads datasets: as they are, as of a snapshot, to evaluate on them, and to log on them.
import { Eval, init, initDataset } from 'braintrust';
import { report } from './report.mjs';

const open = (version) =>
  initDataset({
    project: 'iteration',
    dataset: 'questions',
    ...(version === undefined ? {} : { version }),
  });

const dataset = open();
dataset.insert({ id: 'r1', input: { q: 1 }, expected: 2 });
dataset.insert({ id: 'r2', input: { q: 2 }, expected: 3 });
await dataset.flush();
const { xact_id: version } = await dataset.createSnapshot({ name: 'snap' });
dataset.delete('r2');
dataset.insert({ id: 'r3', input: { q: 3 }, expected: 4 });
await dataset.flush();

const recordsOf = async (at) => {
  const found = [];
  for await (const { id, input, expected } of open(at)) found.push({ id, input, expected });
  return found;
};

const evaluated = await Eval('iteration', {
  experimentName: 'on questions',
  data: open(),
  task: ({ q }) => q + 1,
  scores: [({ output, expected }) => ({ name: 'exact', score: output === expected ? 1 : 0 })],
});

const logged = init('iteration', { experiment: 'logged', dataset: open() });
logged.log({ input: { q: 1 }, output: 2, scores: {}, datasetRecordId: 'r1' });
await logged.flush();

report({
  datasetId: await dataset.id,
  before: await recordsOf(version),
  after: await recordsOf(),
  experimentId: evaluated.summary.experimentId,
  loggedId: await logged.id,
});
