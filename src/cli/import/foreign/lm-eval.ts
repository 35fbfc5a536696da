// Samples of lm-evaluation-harness (`samples_TASK_TIME.jsonl` of `--log_samples`). `metrics` has the names of the metrics, whose values are
// beside it.
import { numbersNamed } from './conversions.js';
import type { ForeignFormat } from './foreign-format.js';

export const lmEval: ForeignFormat = {
  title: 'lm-evaluation-harness',
  id: ['doc_hash', 'doc_id', 'filter'],
  other: {
    member: 'results',
    advice: 'the samples are in samples_*.jsonl beside it, which --log_samples writes',
  },
  fields: [
    {
      to: 'input',
      from: ['arguments.gen_args_0.arg_0', 'arguments', 'doc'],
    },
    { to: 'output', from: ['filtered_resps', 'resps'] },
    { to: 'expected', from: 'target' },
    { to: 'scores', from: 'metrics', as: numbersNamed },
    { to: 'metadata.doc', from: 'doc' },
    { to: 'metadata.doc_id', from: 'doc_id' },
    { to: 'metadata.filter', from: 'filter' },
  ],
};
