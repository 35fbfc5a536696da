// The trace of a stored span.
import { expect } from 'chai';
import { traceOfRow } from '../../src/event/span-ids.js';
import { endOfSteps } from '../support/end-of-steps.js';

const traceIn = (context: string | null) =>
  endOfSteps(traceOfRow({ context, root_span_id: 'root' }));

describe('event/span-ids', () => {
  const cases: readonly (readonly [string | null, string])[] = [
    [null, 'root'],
    ['{}', 'root'],
    ['{"otel":{}}', 'root'],
    ['{"otel":"trace_id"}', 'root'],
    ['{"otel":{"trace_id":7}}', 'root'],
    ['{"trace_id":"x","otel":{"links":[{"trace_id":"y"}],"a":{"trace_id":"z"}}}', 'root'],
    ['{"otel":{"links":[{"trace_id":"y"}],"trace_id":"t\\"1","z":0}}', 't"1'],
    [`{"long":"${'x'.repeat(200_000)}","otel":{"trace_id":"t"}}`, 't'],
  ];
  for (const [context, trace] of cases)
    it(`is ${trace} in ${context?.slice(0, 80) ?? 'a row without a context'}`, () => {
      expect(traceIn(context)).to.equal(trace);
    });
});
