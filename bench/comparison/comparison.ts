// Two experiments over the same inputs -> how long the summary of one against the other takes.
import path from 'node:path';
import type { AnswerRow, Contender } from '../contenders/contender.js';
import type { Evalstore } from '../contenders/evalstore.js';
import type { Dataset } from '../generator/dataset.js';
import type { Options } from '../options.js';
import { ask, type Asked, type Outcome } from '../questions/ask.js';
import { loadSides } from './engines.js';
import { comparisonQuestion } from './question.js';
import { forEachSideBatch, writeSides, type Side } from './rows.js';

async function createExperiments(evalstore: Evalstore): Promise<Readonly<Record<Side, string>>> {
  const project_id = await evalstore.createProject('comparison');
  const create = async (name: Side) => {
    const experiment = await evalstore
      .client()
      .post('/v1/experiment', JSON.stringify({ project_id, name }));
    return (experiment as { id: string }).id;
  };
  return { this: await create('this'), other: await create('other') };
}

/** As the summary names them; a score without anything to compare has no `diff`. */
interface Summary {
  readonly scores: Readonly<Record<string, AnswerRow>>;
}

async function evalstoreSide(evalstore: Evalstore, file: string): Promise<Asked> {
  const ids = await createExperiments(evalstore);
  const client = evalstore.client();
  await forEachSideBatch(file, (side, events) =>
    client.post(`/v1/experiment/${ids[side]}/insert`, JSON.stringify({ events })),
  );
  await evalstore.settle();
  const change = (event: object) =>
    client.post(`/v1/experiment/${ids.this}/insert`, JSON.stringify({ events: [event] }));
  const address = `/v1/experiment/${ids.this}/summarize?summarize_scores=true&comparison_experiment_id=${ids.other}`;
  return {
    name: evalstore.name,
    // The numbers of a summary are kept while the rows are unchanged.
    prepare: async () => {
      await change({ id: 'temporary' });
      await change({ id: 'temporary', _object_delete: true });
    },
    answer: async () => Object.values(((await client.get(address)) as Summary).scores),
  };
}

/** Up to 20,000 rows in each of the two experiments. */
export async function compareExperiments(
  contenders: readonly Contender[],
  evalstore: Evalstore,
  dataset: Dataset,
  options: Options,
): Promise<readonly Outcome[]> {
  const file = path.join(options.directory, 'run', 'comparison.ndjson');
  await writeSides(dataset, file);
  const others = contenders.filter(({ run }) => run !== undefined);
  for (const contender of others) await loadSides(contender, file);
  const own = await evalstoreSide(evalstore, file);
  return ask([...others, own], comparisonQuestion, [{ id: '', trace: '' }], options.rounds);
}
