// Bodies and attributes of all kinds: what is read is a row that can be inserted, with all that the span says, and what is not
// is refused in words.
import * as fc from 'fast-check';
import { expect } from 'chai';
import { readEvents } from '../../src/event/decode.js';
import { RequestError } from '../../src/errors.js';
import { readSpans } from '../../src/otlp/read-spans.js';
import { eventOf } from '../../src/otlp/row.js';
import type { Encoding } from '../../src/schema/otlp.js';
import { changed, changes, names, sampleSpan, spanAttributes } from './arbitrary-spans.js';
import { encodeSpans } from './readable-span.js';
import { attributes, exportOf, rowWith, span, type Json } from './spans.js';

/** Reads a body as the service does; refusals are sentences. */
function insertAll(body: Buffer, encoding: Encoding): void {
  try {
    for (const step of readSpans(body, encoding))
      if ('span' in step) {
        const row = eventOf(step.span, step.origin, null);
        readEvents('experiment', [row], { plain: false, path: 'row' });
      }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    expect(error.status).to.equal(400);
  }
}

const settings = { seed: 14, numRuns: 400 };

describe('garbage in spans', () => {
  it('attributes of all kinds are in the row, under their own names or in the fields of their rules', () => {
    fc.assert(
      fc.property(spanAttributes, (values) => {
        const row = rowWith(values);
        const metadata = (row['metadata'] ?? {}) as Json;
        for (const key of Object.keys(values)) {
          if (Object.hasOwn(metadata, key)) continue;
          const hasRule = names.some((from) =>
            from.endsWith('.*') ? key.startsWith(from.slice(0, -1)) : from === key,
          );
          expect(hasRule, key).to.equal(true);
        }
        insertAll(
          Buffer.from(JSON.stringify(exportOf([span({ attributes: attributes(values) })]))),
          'json',
        );
      }),
      settings,
    );
  });

  for (const encoding of ['json', 'protobuf'] as const)
    it(`bodies in ${encoding} with wrong bytes are read or refused`, () => {
      const body = encodeSpans([sampleSpan(), sampleSpan()], encoding);
      fc.assert(
        fc.property(changes, (list) => insertAll(changed(body, list), encoding)),
        { ...settings, numRuns: 1500 },
      );
    });
});
