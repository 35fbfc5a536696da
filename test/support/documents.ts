// Random events with JSON of all kinds, and with paths that are hard to store in columns.
import * as fc from 'fast-check';

export const longKey = 'k'.repeat(10_000);

const keys = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'A', 'b', 'model', 'x') },
  fc.constantFrom('', '*', '.', 'a.b', '"', '\\', "'", ' ', '/', 'a/b', '[0]', '0', '10', '$', '#'),
  fc.constantFrom('😀', 'É', 'é', '\n', '\u0000', 'a\u0000', '__proto__', 'null', longKey),
  fc.string({ unit: 'binary', maxLength: 5 }),
);

const numbers = fc.oneof(
  fc.constantFrom('0', '-0', '1', '1.0', '1.10', '1e2', '1e400', '-1e400', '1e-400', '5e-324'),
  fc.constantFrom('9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993'),
  fc.constantFrom('18446744073709551616', '123456789012345678901234567890', '1e22', '1e21'),
  fc.constantFrom('0.123456789012345678901234567891', '0.1', '0.30000000000000004', '1.5e300'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.integer().map(String),
);

const strings = fc
  .oneof(
    fc.constantFrom(
      '',
      'null',
      'true',
      '1',
      '{',
      '[',
      '"',
      '""',
      '"a"',
      '\\',
      '\\"',
      '\n',
      '\u0000',
    ),
    fc.integer({ min: 250, max: 262 }).map((length) => 's'.repeat(length)),
    fc.constantFrom('é'.repeat(128), '\n'.repeat(200), '😀'.repeat(63), ' "x" ', '-0', '1e400'),
    fc.string({ unit: 'binary', maxLength: 12 }),
  )
  .map((value) => JSON.stringify(value));

const scalars = fc.oneof(
  { weight: 4, arbitrary: numbers },
  { weight: 4, arbitrary: strings },
  fc.constantFrom('true', 'false', 'null'),
);

const documents = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'document' },
    scalars,
    tie('object'),
    fc
      .array(tie('value'), { maxLength: 3, depthIdentifier: 'document' })
      .map((items) => `[${items.join()}]`),
  ),
  object: fc
    .uniqueArray(fc.tuple(keys, tie('value')), {
      maxLength: 6,
      selector: ([key]) => key,
      depthIdentifier: 'document',
    })
    .map(
      (members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`,
    ),
}));

/** JSON text of an object. */
export const objectTexts = documents.object;

/** JSON text of an event. */
export const eventTexts = fc
  .record({ metadata: documents.object, input: documents.value, context: documents.object })
  .map(
    ({ metadata, input, context }) =>
      `{"metadata":${metadata},"input":${input},"context":${context}}`,
  );
