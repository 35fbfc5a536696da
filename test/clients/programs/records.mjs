// A dataset of many pages, read by its id, as a snapshot, and through a filter.
import { initDataset } from 'braintrust';
import { report } from './report.mjs';

const dataset = initDataset({ project: 'records', dataset: 'many' });
for (let index = 0; index < 2500; index++)
  dataset.insert({ id: `r${index}`, input: index, metadata: { even: index % 2 === 0 } });
await dataset.flush();
await dataset.createSnapshot({ name: 'even and odd' });
for (let index = 1; index < 2500; index += 2) dataset.delete(`r${index}`);
dataset.update({ id: 'r0', metadata: { first: true } });
await dataset.flush();

const read = async (options) => {
  const found = [];
  for await (const { id } of initDataset(options)) found.push(id);
  return { rows: found.length, different: new Set(found).size };
};

const byName = { project: 'records', dataset: 'many' };
const missing = await read({ ...byName, snapshotName: 'nothing' }).catch(({ message }) => message);
report({
  byId: await read({ datasetId: await dataset.id }),
  snapshot: await read({ ...byName, snapshotName: 'even and odd' }),
  filtered: await read({ ...byName, _internal_btql: { filter: { btql: 'metadata.first' } } }),
  missing,
});
