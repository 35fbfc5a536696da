// Spans that go on in another process. Without parameters it starts them; with what that reported it goes on with them.
import {
  extractTraceContextFromHeaders,
  flush,
  init,
  initLogger,
  injectTraceContext,
  startSpan,
  updateSpan,
  withParent,
  traced,
} from 'braintrust';
import { report } from './report.mjs';

async function begin() {
  const logger = initLogger({ projectName: 'elsewhere' });
  const root = logger.startSpan({ name: 'request', event: { input: 'question' } });
  const experiment = init('elsewhere', { experiment: 'spread' });
  const evaluated = experiment.startSpan({ name: 'eval', event: { input: 1 } });
  const headers = {};
  injectTraceContext(headers, { span: root });
  const [exported, inExperiment] = [await root.export(), await evaluated.export()];
  await flush();
  // They end when the other process has gone on with them.
  return {
    exported,
    inExperiment,
    headers,
    root: root.id,
    projectId: (await logger.project).id,
    experimentId: await experiment.id,
  };
}

async function goOn({ exported, inExperiment, headers }) {
  startSpan({ parent: exported, name: 'by slug', event: { output: 1 } }).end();
  withParent(exported, () =>
    traced((span) => span.traced((inner) => inner.log({ output: 3 }), { name: 'nested' }), {
      name: 'with parent',
    }),
  );
  const propagated = extractTraceContextFromHeaders(headers);
  if (propagated !== undefined)
    startSpan({ parent: propagated, name: 'by headers', event: { output: 2 } }).end();
  updateSpan({ exported, output: 'answer', metadata: { late: true } });
  startSpan({ parent: inExperiment, name: 'task', event: { output: 2 } }).end();
  updateSpan({ exported: inExperiment, output: 2, scores: { exact: 1 } });
  await flush();
  return { propagated: propagated !== undefined };
}

const [, , begun] = process.argv;
report(begun === undefined ? await begin() : await goOn(JSON.parse(begun)));
