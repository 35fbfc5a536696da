// Logs of inspect_ai (`EvalLog`), in JSON or as an archive: an event for each sample and epoch. Its scorers write C, P, I and N for grades.
import { numbersAt, seconds } from './conversions.js';
import type { ForeignFormat } from './foreign-format.js';

export const inspectAi: ForeignFormat = {
  title: 'inspect_ai',
  id: ['/eval.run_id', 'id', 'epoch'],
  spans: 'samples',
  fields: [
    { to: 'input', from: 'input' },
    { to: 'output', from: ['output.completion', 'output'] },
    { to: 'expected', from: 'target' },
    { to: 'error', from: 'error.message' },
    { to: 'scores', from: 'scores', as: numbersAt('value', { C: 1, P: 0.5, I: 0, N: 0 }) },
    { to: 'span_attributes.name', from: '/eval.task' },
    { to: 'metrics.start', from: 'started_at', as: seconds },
    { to: 'metrics.end', from: 'completed_at', as: seconds },
    { to: 'metrics.prompt_tokens', from: 'output.usage.input_tokens' },
    { to: 'metrics.completion_tokens', from: 'output.usage.output_tokens' },
    { to: 'metrics.tokens', from: 'output.usage.total_tokens' },
    { to: 'metadata', from: 'metadata' },
    { to: 'metadata.model', from: ['output.model', '/eval.model'] },
    { to: 'metadata.grades', from: 'scores' },
    { to: 'metadata.sample_id', from: 'id' },
    { to: 'metadata.epoch', from: 'epoch' },
  ],
};
