// Four loggers, each with a queue of its own, that log nested spans at the same time, also into a trace that all share.
import { BraintrustState, initLogger } from 'braintrust';
import { report } from './report.mjs';

const [, , shared, name] = process.argv;
const traces = 12;
const ids = [];

async function logTrace(logger, index) {
  const span = logger.startSpan({
    name: `${name} ${index}`,
    event: { input: index },
    ...(index % 4 === 0 ? { parent: shared } : {}),
  });
  ids.push(span.id);
  if (index % 3 === 0) await logger.flush();
  await Promise.all(
    [0, 1, 2].map((child) =>
      span.traced(
        async (outer) => {
          ids.push(outer.id);
          outer.log({ metadata: { first: child } });
          if (child === index % 3) await logger.flush();
          await outer.traced(
            (inner) => {
              ids.push(inner.id);
              inner.log({ output: child, metrics: { tokens: 1 } });
            },
            { name: 'inner', type: 'llm' },
          );
          outer.log({ metadata: { second: index }, scores: { good: 1 } });
        },
        { name: 'outer' },
      ),
    ),
  );
  span.log({ output: index, tags: [`late ${index}`] });
  span.end();
}

await Promise.all(
  [0, 1, 2, 3].map(async () => {
    const logger = initLogger({
      projectName: 'loggers',
      state: new BraintrustState({}),
      setCurrent: false,
    });
    await Promise.all(Array.from({ length: traces }, (_, index) => logTrace(logger, index)));
    await logger.flush();
  }),
);
report({ ids });
