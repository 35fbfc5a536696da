// Runs an Eval of the newest SDK, and prints how long it took and how long its process had nothing to do but wait.
// Parameters: cases, milliseconds of a task, and "server" or "local", which stores nothing.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Eval } from 'braintrust';

const [cases, taskMs] = process.argv.slice(2, 4).map(Number);
const noSendLogs = process.argv[4] === 'local';

const question = (index) => `question ${index}: ${'lorem ipsum '.repeat(20)}`;

const evaluate = (count) =>
  Eval(
    'bench',
    {
      data: () =>
        Array.from({ length: count }, (_, index) => ({
          input: { question: question(index) },
          expected: `answer ${index}`,
          metadata: { kind: index % 7 },
        })),
      task: async ({ question: text }) => {
        if (taskMs > 0) await sleep(taskMs);
        return `answer ${/\d+/.exec(text)[0]}`;
      },
      scores: [
        ({ output, expected }) => ({ name: 'exact', score: output === expected ? 1 : 0 }),
        ({ output }) => ({ name: 'brief', score: output.length < 20 ? 1 : 0.5 }),
      ],
      maxConcurrency: 20,
    },
    // A reporter that prints nothing.
    { noSendLogs, reporter: { name: 'none', reportEval: () => true, reportRun: () => true } },
  );

// Compiles the code of the SDK, of the server, and of the statements of both.
await evaluate(50);
const idle = performance.eventLoopUtilization();
const start = performance.now();
const { summary } = await evaluate(cases);
const wallMs = performance.now() - start;
const { idle: idleMs } = performance.eventLoopUtilization(idle);
process.stdout.write(`\nRESULT ${JSON.stringify({ wallMs, idleMs, scores: summary.scores })}\n`);
