// Cursors: real ones, damaged ones, and forgeries by somebody who knows the format but not the secret.
import { createHash, createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { oddText } from './odd-text.js';

const smuggled = [
  { parts: ['1); SELECT 1 --'] },
  { parts: [{ value: 1 }] },
  { value: 'x' },
  { kind: 'field' },
];

const member: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>('1000192656880881099', '1', '-1', 0, -1, 2 ** 53, 1.5, null, true, ''),
  fc.constantFrom<unknown>([], {}, [[]], ...smuggled, '9'.repeat(200), '0x10', 'NaN'),
  oddText,
);

const payload: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(member, { maxLength: 8 }).map((each) => JSON.stringify(each)) },
  { weight: 1, arbitrary: fc.jsonValue({ noUnicodeString: false }).map((v) => JSON.stringify(v)) },
  { weight: 1, arbitrary: oddText },
);

const digestBytes = fc.constantFrom(0, 9, 12, 16, 20, 32);

const digests: readonly ((text: string, id: string) => Buffer)[] = [
  (text, id) => createHash('sha256').update(id).update(text).digest(),
  (text) => createHash('sha256').update(text).digest(),
  (text, id) => createHmac('sha256', '').update(id).update(text).digest(),
  (text, id) => createHmac('sha256', id).update(text).digest(),
  () => Buffer.alloc(32),
];

/** As the cursor of a page of this object would be made without a secret. */
const forged = (ids: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(payload, fc.constantFrom(...ids), fc.constantFrom(...digests), digestBytes)
    .map(([text, id, digest, bytes]) =>
      Buffer.concat([digest(text, id).subarray(0, bytes), Buffer.from(text)]).toString('base64url'),
    );

const damaged = (real: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...real),
      fc.nat(400),
      fc.nat(255),
      fc.constantFrom('flip', 'cut', 'add'),
    )
    .map(([cursor, at, byte, kind]) => {
      const bytes = Buffer.from(cursor, 'base64url');
      const index = at % bytes.length;
      if (kind === 'cut') return bytes.subarray(0, index).toString('base64url');
      if (kind === 'add') return Buffer.concat([bytes, Buffer.from([byte])]).toString('base64url');
      bytes[index] = bytes[index]! ^ (byte | 1);
      return bytes.toString('base64url');
    });

export const cursorText = (real: readonly string[], ids: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...real),
    damaged(real),
    forged(ids),
    fc.constantFrom('[]', 'hello', '', '=', 'W10', 'bnVsbA', '{}'),
    oddText,
  );
