// Datasets of the SDK: insert, update, delete, sum up, snapshots, and the way back to a version.
import { initDataset } from 'braintrust';
import { report } from './report.mjs';

const dataset = initDataset({ project: 'datasets', dataset: 'questions' });
dataset.insert({ id: 'r1', input: { q: 1 }, expected: 2, metadata: { a: 1 }, tags: ['t'] });
dataset.insert({ id: 'r2', input: { q: 2 }, expected: 3 });
await dataset.flush();
const snapshot = await dataset.createSnapshot({ name: 'snap', description: 'two records' });

dataset.update({ id: 'r1', metadata: { b: 2 } });
dataset.delete('r2');
dataset.insert({ id: 'r3', input: { q: 3 }, expected: 4 });
await dataset.flush();
const summary = await dataset.summarize();
const changed = await dataset.createSnapshot({ name: 'changed' });

const listed = await dataset.listSnapshots();
const renamed = await dataset.updateSnapshot(snapshot.id, { name: 'renamed' });
const deleted = await dataset.deleteSnapshot(snapshot.id);
const preview = await dataset.restorePreview({ version: snapshot.xact_id });
const restored = await dataset.restore({ version: snapshot.xact_id });

report({
  datasetId: await dataset.id,
  summary,
  snapshots: { made: [snapshot, changed], listed, renamed, deleted },
  preview,
  restored,
});
