// Strings that programs get wrong: code points at the edges, SQL and path syntax, names with a meaning of their own.
import * as fc from 'fast-check';

const codePoints = Array.from(
  '\u0000\u0001\u001f\u007f\u0085\u00a0\u0301\u200b\u200d\u202e\u2028\u2029\ufeff\ufffd\ufffe\uffff' +
    '\ud800x\udfff\u{1f600}\u{e0001}\u{10ffff}ßİıﬀé٣𝟙',
);

// prettier-ignore
const meaningful = [
  '', ' ', '.', '..', '/', '\\', '%', '%25', '%00', '*', '?', '#', '$', '$1', '$.*', '"', "'", '`',
  "' OR 1=1 --", '"; DROP TABLE segment; --', '${x}', '{{x}}', '\r\nX: y', '[0]',
  'null', 'true', 'NaN', 'Infinity', '-0', '1e999', '0x1', '9'.repeat(40), '1'.repeat(400),
  '__proto__', 'constructor', 'toString', 'parts', 'value', 'length', 'then',
  '0', '-1', '01', '4294967295', '_row', '_xact_id', 'id', 'root_span_id', 'file_row_number',
  '2024-01-01', '-1-12-31T00:00:00Z', '+275760-09-13', '0000-00-00', '24:00',
  '/etc/passwd', '../../../etc/passwd', 'file:///etc/passwd', 'a'.repeat(300), 'é'.repeat(3000),
];

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...codePoints) },
  { weight: 3, arbitrary: fc.constantFrom(...meaningful) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 8 }) },
);

/** Mostly short; now and then of a few hundred kilobytes. */
export const oddText: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(piece, { minLength: 1, maxLength: 4 }),
    fc.oneof(
      { weight: 60, arbitrary: fc.constant(1) },
      { weight: 3, arbitrary: fc.constantFrom(2, 40, 1000) },
      { weight: 1, arbitrary: fc.constant(40_000) },
    ),
  )
  .map(([pieces, times]) => pieces.join('').repeat(times).slice(0, 400_000));
