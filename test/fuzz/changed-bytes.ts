// Changes of some bytes of a JSON text: at any place, bytes that JSON gives a meaning, and others.
import * as fc from 'fast-check';

export type Change = (bytes: Buffer) => Buffer<ArrayBuffer>;

export const changed: fc.Arbitrary<Change> = fc
  .record({
    at: fc.nat(),
    cut: fc.nat(3),
    put: fc.oneof(
      fc.constantFrom(
        '',
        ',',
        ']',
        '}',
        '{',
        '[',
        '"',
        '\\',
        ':',
        ' ',
        '\0',
        '\n',
        'é',
        '1',
        'e',
        '-',
        '.',
        '0',
        'u',
        'null',
        '\\ud800',
        '\\x',
        '\\u00',
        '01',
        '"a":1,',
      ),
      fc.nat(255).map((byte) => Buffer.from([byte])),
    ),
  })
  .map(({ at, cut, put }) => (bytes) => {
    const place = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, place), Buffer.from(put), bytes.subarray(place + cut)]);
  });
