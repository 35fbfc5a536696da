// References to attachments in events.
import { expect } from 'chai';
import * as fc from 'fast-check';
import { attachmentKeys } from '../../src/event/attachment-references.js';
import { readEvents } from '../../src/event/decode.js';
import type { IncomingEvent } from '../../src/event/incoming.js';

const type = 'braintrust_attachment';

/** What each step gives. */
function steps(...inputs: readonly unknown[]): readonly (readonly string[] | null)[] {
  const events = inputs.map((input) => ({ input }));
  return [...attachmentKeys(readEvents('experiment', events, { plain: true, path: 'row' }))];
}

const keysIn = (input: unknown): readonly string[] => steps(input).flatMap((keys) => keys ?? []);

/** The same from parsed values. */
function* keysOf(value: unknown): Generator<string> {
  if (value === null || typeof value !== 'object') return;
  for (const inner of Object.values(value)) yield* keysOf(inner);
  const { type: own, key } = value as Readonly<Record<string, unknown>>;
  if (own === type && typeof key === 'string' && /^[!#-[\]-~]{1,200}$/.test(key)) yield key;
}

describe('references to attachments', () => {
  const cases: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['a key after the type', { a: [{ type, key: 'k' }] }, ['k']],
    ['a key before the type', { key: 'k', filename: '{', type }, ['k']],
    ['a key behind an object', { type, more: { key: 'inner' }, key: 'k' }, ['k']],
    ['the longest key', { type, key: 'k'.repeat(200) }, ['k'.repeat(200)]],
    [
      'several',
      [
        { type, key: 'a' },
        { type, key: 'b' },
        { type, key: 'a' },
      ],
      ['a', 'b'],
    ],
    ['one in another', { type, key: 'a', b: { key: 'b', type } }, ['b', 'a']],
    ['no key of another object', { file: { type }, key: 'secret', b: { key: 'secret' } }, []],
    ['no key around the reference', { key: 'secret', file: { type, key: 'k' } }, ['k']],
    ['no key with another type', [{ type: 'password', key: 'secret' }, type], []],
    ['no name that ends in key', { type, 'a"key': 'secret' }, []],
    ['no text', { type, text: '"key":"secret"' }, []],
    ['no key that is too long', { type, key: 'k'.repeat(201) }, []],
    ['no empty key', { type, key: '' }, []],
    ['no key with spaces', { type, key: 'a secret' }, []],
    ['no key with escapes', { type, key: 'a"b' }, []],
    ['no key that is not a string', { type, key: 5 }, []],
  ];
  for (const [name, input, keys] of cases)
    it(`include ${name}`, () => {
      expect(keysIn(input)).to.deep.equal(keys);
    });

  it('are read from a part of a buffer', () => {
    const bytes = Buffer.from(
      `{"type":"${type}","key":"other"}${JSON.stringify({ type, key: 'k' })}`,
    );
    const start = bytes.lastIndexOf('{');
    const event = { json: { input: { bytes, start, end: bytes.length } } };
    expect([...attachmentKeys([event as unknown as IncomingEvent])]).to.deep.equal([['k']]);
  });

  it('are searched in steps of one event, or of a part of a long text', () => {
    const file = { type, key: 'k' };
    expect(steps({}, file, { file }, {})).to.deep.equal([[], ['k'], ['k'], []]);
    const long = [file, ...Array.from({ length: 2 ** 19 }, () => 1)];
    expect(steps(long)).to.have.length.at.least(4);
  });

  it('are no more than one beyond a limit', () => {
    const files = ['a', 'b', 'c', 'd'].map((key) => ({ type, key }));
    const events = readEvents('experiment', [{ input: files }, { input: files[3] }], {
      plain: true,
      path: 'row',
    });
    expect([...attachmentKeys(events, 2)]).to.deep.equal([['a', 'b', 'c'], ['d']]);
  });

  it('are found in a long buffer', () => {
    const other = Buffer.alloc(2 ** 20, ' ');
    const bytes = Buffer.concat([other, Buffer.from(JSON.stringify({ type, key: 'k' }))]);
    const [input, none] = [
      { bytes, start: other.length, end: bytes.length },
      { bytes, start: 0, end: other.length },
    ];
    const event = { json: { output: none, input } };
    expect([...attachmentKeys([event as unknown as IncomingEvent])]).to.deep.equal([['k']]);
  });

  it('are those of the parsed values', () => {
    const text = fc.constantFrom(type, 'k', 'type', 'key', 'a b', '"key":"x"', '\\', '{', '}', 'é');
    const name = fc.constantFrom('type', 'key', 'key', 'a', '"key', '\\');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), tie('object'), fc.array(tie('value'))),
      object: fc.dictionary(name, fc.oneof(text, tie('value'))),
    }));
    fc.assert(
      fc.property(value, (input) => {
        expect(keysIn(input)).to.have.members([...new Set(keysOf(input))]);
      }),
      { numRuns: 2000 },
    );
  });
});
