import { expect } from 'chai';
import type { EventObject } from '../../src/schema/event-row.js';
import { applyEvents } from '../support/apply-events.js';
import { decodeEvents } from '../support/decode-events.js';
import { rowOfStrings } from '../support/json-strings.js';

const object: EventObject = { kind: 'experiment', id: 'e', projectId: 'p', orgId: 'o' };

const decode = (...events: readonly object[]) =>
  decodeEvents('experiment', JSON.stringify({ events }));

function applied(...events: readonly object[]) {
  const [row] = applyEvents(object, decode(...events), new Map(), 100n, {}).map(rowOfStrings);
  return row;
}

describe('_array_delete', () => {
  const stored = { id: 'a', input: { l: [1, { x: 1, y: 2 }, 'x'] }, tags: ['t', 'u'] };

  it('removes elements after the merge, compared as JSON, also under the former name of a field', () => {
    const merge = {
      id: 'a',
      _is_merge: true,
      tags: ['u', 'v'],
      _array_delete: [
        { path: ['inputs', 'l'], delete: [{ y: 2, x: 1 }, 2] },
        { path: ['tags'], delete: ['v'] },
      ],
    };
    expect(applied(stored, merge)).to.deep.include({ input: '{"l":[1,"x"]}', tags: ['u'] });
  });

  it('keeps every digit of the other elements', () => {
    const text = `{"events":[{"id":"a","input":[12345678901234567890,1],
      "_array_delete":[{"path":["input"],"delete":[1.0]}]}]}`;
    const [row] = applyEvents(object, decodeEvents('experiment', text), new Map(), 100n, {});
    expect(rowOfStrings(row!).input).to.equal('[12345678901234567890]');
  });

  it('may be null or empty', () => {
    for (const _array_delete of [null, []])
      expect(decode({ _array_delete })[0]?.arrayDeletes).to.deep.equal([]);
  });

  const refusals: readonly (readonly [value: unknown, text: string])[] = [
    [{}, ': expected an array or null, got {}'],
    [
      [{ path: ['tags'] }],
      '[0]: expected an object with the arrays path and delete, got {"path":["tags"]}',
    ],
    [[{ path: ['tags', 1], delete: [] }], '[0].path[1]: expected a string, got 1'],
    [[{ path: 'tags', delete: [] }], '[0].path: expected an array of strings, got "tags"'],
    [[{ path: ['tags'], delete: 'a' }], '[0].delete: expected an array, got "a"'],
  ];
  for (const [_array_delete, text] of refusals)
    it(`refuses ${JSON.stringify(_array_delete)}`, () => {
      expect(() => decode({ _array_delete }))
        .to.throw(`events[0]._array_delete${text}`)
        .with.property('status', 400);
    });
});
