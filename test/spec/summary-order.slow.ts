// The orders of `summary-order.test`, and many more.
import { firstSummariesAreThoseOfAll } from './summary-order-suite.js';

describe('the first summaries in many orders', () => {
  firstSummariesAreThoseOfAll([
    'scores.a desc',
    'scores."b\\"c" asc, scores.a desc',
    'metrics.duration desc',
    'metrics.prompt_tokens + metrics.total_tokens asc',
    'metrics.errors desc, metrics.llm_calls, metrics.tool_calls asc',
    'metrics.own desc',
    'metrics.start desc',
    'metadata.m desc',
    'created asc, id desc',
    'tags desc, error asc',
    'root_span_id asc',
    '_xact_id asc',
    'is_root, _pagination_key asc',
    // These need all summaries.
    'scores desc',
    'project_id, metrics asc',
  ]);
});
