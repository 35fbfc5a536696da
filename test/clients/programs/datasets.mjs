// Datasets of the SDK: insert, iterate, update, delete, sum up, snapshots, and an evaluation on one.
import { Eval, initDataset } from 'braintrust';
import { report } from './report.mjs';

const open = (version) =>
  initDataset({
    project: 'datasets',
    dataset: 'questions',
    ...(version === undefined ? {} : { version }),
  });

const dataset = open();
dataset.insert({ id: 'r1', input: { q: 1 }, expected: 2, metadata: { a: 1 }, tags: ['t'] });
dataset.insert({ id: 'r2', input: { q: 2 }, expected: 3 });
await dataset.flush();
const snapshot = await dataset.createSnapshot({ name: 'snap', description: 'two records' });

dataset.update({ id: 'r1', metadata: { b: 2 } });
dataset.delete('r2');
dataset.insert({ id: 'r3', input: { q: 3 }, expected: 4 });
await dataset.flush();
const summary = await dataset.summarize();

const recordsOf = async (version) => {
  const found = [];
  for await (const { id, input, expected, metadata } of open(version))
    found.push({ id, input, expected, metadata });
  return found;
};

const evaluated = await Eval('datasets', {
  experimentName: 'on questions',
  data: open(),
  task: ({ q }) => q + 1,
  scores: [({ output, expected }) => ({ name: 'exact', score: output === expected ? 1 : 0 })],
});

report({
  datasetId: await dataset.id,
  snapshot,
  summary,
  before: await recordsOf(snapshot.xact_id),
  after: await recordsOf(),
  experimentId: evaluated.summary.experimentId,
});
