// The logger of the SDK: nested and concurrent spans, a span that goes on elsewhere, updates, feedback, tags of two flushes.
import { flush, initLogger, startSpan, updateSpan } from 'braintrust';
import { report } from './report.mjs';

const logger = initLogger({ projectName: 'logger' });

const ids = { root: '', exported: '' };
await logger.traced(
  async (span) => {
    ids.root = span.id;
    span.log({ input: 'question', tags: ['first'] });
    await logger.flush();
    ids.exported = await span.export();
    await Promise.all(
      [0, 1, 2].map((index) =>
        span.traced(
          async (child) => {
            child.log({ output: index, scores: { good: index / 2 } });
            child.traced((inner) => inner.log({ metadata: { index } }), { name: 'inner' });
          },
          { name: `child ${index}`, type: 'llm' },
        ),
      ),
    );
    span.log({ output: 'answer', tags: ['second'] });
  },
  { name: 'request' },
);
await logger.flush();

startSpan({ parent: ids.exported, name: 'elsewhere', event: { input: 'later' } }).end();
updateSpan({ exported: ids.exported, metadata: { late: true } });
await flush();

logger.logFeedback({
  id: ids.root,
  scores: { human: 0.5 },
  expected: 'better',
  tags: ['reviewed'],
  comment: 'fine',
  metadata: { user: 'u1' },
  source: 'app',
});
await logger.flush();

const project = await logger.project;
report({ projectId: project.id, root: ids.root });
