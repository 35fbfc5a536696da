// Eval with a scorer that reads the trace of its case, as the server has it.
import { Eval, currentSpan, wrapTraced } from 'braintrust';
import { report } from './report.mjs';

const ask = wrapTraced(async (input) => `answer ${input}`, { name: 'ask', type: 'llm' });
const look = wrapTraced(
  async (input) => {
    currentSpan().log({ metadata: { store: { name: 'docs', size: 2 } } });
    return { found: input };
  },
  { name: 'look', type: 'tool' },
);

const seen = {};
const result = await Eval('traces', {
  experimentName: 'looking',
  data: () => [{ input: 'a' }, { input: 'b' }],
  task: async (input) => {
    await look(input);
    return ask(input);
  },
  scores: [
    async ({ input, trace }) => {
      const spans = await trace.getSpans({ spanType: ['llm'] });
      const named = async (filters) =>
        (await trace.getSpans({ filters })).map(({ span_attributes: { name } }) => name);
      seen[input] = {
        llm: spans.map(({ output }) => output),
        all: await named({}),
        failed: await named({ hasError: true }),
        stored: await named({ metadata: { store: { name: 'docs' } }, duration: { min: 0 } }),
        long: await named({ name: ['ask', 'look'], duration: { min: 3600 } }),
      };
      return { name: 'asked once', score: spans.length === 1 ? 1 : 0 };
    },
  ],
});

report({ seen, experimentId: result.summary.experimentId });
