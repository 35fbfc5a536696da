// Bodies of OpenTelemetry's exporters: attributes that rules name with values that they do not expect, parents of all kinds,
// spans that are no spans, wrong bytes.
import * as fc from 'fast-check';
import { encodings } from '../../../src/schema/otlp.js';
import { changed, changes, sampleSpan, spanAttributes } from '../../otlp/arbitrary-spans.js';
import { encodeSpans } from '../../otlp/readable-span.js';
import { attributes, exportOf, span } from '../../otlp/spans.js';
import { change, changed as changedValue, type KnownText } from './arbitrary-value.js';

const parentKinds = ['project_id:', 'project_name:', 'experiment_id:', ''] as const;

const parentOf = (known: KnownText): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...parentKinds), known).map(([kind, id]) => kind + id);

const json = (known: KnownText): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      fc.array(fc.tuple(spanAttributes, fc.option(parentOf(known))), { maxLength: 4 }),
      fc.array(change(known), { maxLength: 2 }),
    )
    .map(([spans, list]) => {
      const body = exportOf(
        spans.map(([values, parent], index) =>
          span({
            spanId: String(index).padStart(16, 'a'),
            attributes: attributes({
              ...values,
              ...(parent !== null && { 'braintrust.parent': parent }),
            }),
          }),
        ),
      );
      return Buffer.from(JSON.stringify(list.reduce<unknown>(changedValue, body)) ?? '');
    });

const protobuf = (known: KnownText): fc.Arbitrary<Buffer> =>
  fc
    .tuple(parentOf(known), fc.option(changes))
    .map(([parent, list]) =>
      changed(encodeSpans([sampleSpan({ 'braintrust.parent': parent })], 'protobuf'), list ?? []),
    );

/** With a content type that may be another one than the body's. */
export const exportBody = (
  known: KnownText,
): fc.Arbitrary<{ readonly type: string; readonly bytes: Buffer }> =>
  fc.record({
    type: fc.constantFrom(...Object.values(encodings), `${encodings.json}; charset=utf-8`),
    bytes: fc.oneof(json(known), protobuf(known)),
  });
