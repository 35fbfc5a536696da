import { expect } from 'chai';
import { neededRows } from '../../src/event/apply.js';
import { applyEvents } from '../support/apply-events.js';
import { decodeEvents } from '../support/decode-events.js';
import { longestParsed } from '../support/longest-parsed.js';
import { rowOfStrings } from '../support/json-strings.js';
import type { EventObject, UncommittedRow } from '../../src/schema/event-row.js';

const object: EventObject = { kind: 'experiment', id: 'e', projectId: 'p', orgId: 'o' };

const decode = (events: readonly object[]) =>
  decodeEvents('experiment', JSON.stringify({ events }));

function apply(
  events: readonly object[],
  live: readonly UncommittedRow[] = [],
  now = 100n,
): readonly UncommittedRow[] {
  const rows = new Map(live.map((row) => [row.id, row]));
  let made = 0;
  return applyEvents(object, decode(events), rows, now, {
    newId: () => `new-${(made += 1)}`,
  }).map(rowOfStrings);
}

function applyOne(events: readonly object[], live: readonly UncommittedRow[] = []): UncommittedRow {
  const [row, ...others] = apply(events, live, 200n);
  if (row === undefined || others.length > 0) throw new Error('expected one row');
  return row;
}

const liveRow = (event: object): UncommittedRow => {
  const [row] = apply([event]);
  if (row === undefined) throw new Error('expected a row');
  return row;
};

const span = ({ span_id, root_span_id, span_parents, is_root }: UncommittedRow) => [
  span_id,
  root_span_id,
  span_parents,
  is_root,
];

describe('event/apply', () => {
  it('makes a complete row of a plain insert', () => {
    expect(
      apply([{ id: 'a', input: { x: 1 }, tags: ['t'], dataset_record_id: 'd' }]),
    ).to.deep.equal([
      {
        _deleted: false,
        _lossless: false,
        object_kind: 'experiment',
        object_id: 'e',
        project_id: 'p',
        org_id: 'o',
        id: 'a',
        created: 100n,
        span_id: 'new-1',
        root_span_id: 'new-1',
        span_parents: null,
        is_root: true,
        dataset_record_id: 'd',
        tags: ['t'],
        input: '{"x":1}',
        output: null,
        expected: null,
        error: null,
        scores: null,
        metadata: null,
        metrics: null,
        context: null,
        span_attributes: null,
        origin: null,
        classifications: null,
      },
    ]);
  });

  it('fills in the span fields that were not sent', () => {
    expect(span(applyOne([{ span_id: 's' }]))).to.deep.equal(['s', 's', null, true]);
    expect(span(applyOne([{ root_span_id: 'r' }]))).to.deep.equal(['new-1', 'r', null, true]);
    expect(span(applyOne([{ span_id: 's', root_span_id: 'r', span_parents: [] }]))).to.deep.equal([
      's',
      'r',
      null,
      true,
    ]);
    expect(
      span(applyOne([{ span_id: 's', root_span_id: 'r', span_parents: ['p'] }])),
    ).to.deep.equal(['s', 'r', ['p'], false]);
  });

  it('replaces a live row completely without _is_merge', () => {
    const live = liveRow({ id: 'a', created: '1970-01-01', span_id: 's', input: 1, tags: ['t'] });
    expect(applyOne([{ id: 'a', output: 2 }], [live])).to.include({
      created: 200n,
      span_id: 'new-1',
      input: null,
      output: '2',
      tags: null,
    });
  });

  it('merges into the live row and keeps its creation time and span fields', () => {
    const live = liveRow({
      id: 'a',
      created: '1970-01-01',
      span_id: 's',
      root_span_id: 'r',
      span_parents: ['p'],
      input: { a: { x: 1 }, l: [1] },
      output: 'kept',
      scores: { q: 0.1, w: 0.2 },
      metadata: { n: 1 },
      error: 'old',
      tags: ['t'],
      dataset_record_id: 'd',
    });
    const merged = applyOne(
      [
        {
          id: 'a',
          _is_merge: true,
          created: '2020-01-01',
          span_id: 'other',
          root_span_id: 'other',
          span_parents: ['other'],
          input: { a: { y: 2 }, l: [2] },
          scores: { w: true },
          error: null,
          expected: { z: null },
          tags: ['u'],
        },
      ],
      [live],
    );
    expect(merged).to.deep.equal({
      ...live,
      input: '{"a":{"x":1,"y":2},"l":[2]}',
      scores: '{"q":0.1,"w":1}',
      error: null,
      expected: '{"z":null}',
      tags: ['u'],
    });
  });

  it('merges null over tags and the dataset record', () => {
    const live = liveRow({ id: 'a', tags: ['t'], dataset_record_id: 'd' });
    const patch = { id: 'a', _is_merge: true, tags: null, dataset_record_id: null };
    expect(applyOne([patch], [live])).to.include({ tags: null, dataset_record_id: null });
  });

  it('does not descend below merge paths, also under old names', () => {
    const live = liveRow({ id: 'a', input: { x: { a: 1 }, y: { a: 1 } }, metadata: { a: 1 } });
    const patch = { id: 'a', _is_merge: true, inputs: { x: { b: 2 }, y: { b: 2 } }, metadata: {} };
    const paths = [['inputs', 'x'], ['metadata']];
    expect(applyOne([{ ...patch, _merge_paths: paths }], [live])).to.include({
      input: '{"x":{"b":2},"y":{"a":1,"b":2}}',
      metadata: '{}',
    });
  });

  it('never merges __proto__ and the like, but inserts them as data', () => {
    const data = JSON.parse('{"__proto__":{"a":1},"constructor":1,"x":{"prototype":2}}') as object;
    const live = liveRow({ id: 'a', input: { y: 1 } });
    const patch = { id: 'a', _is_merge: true, input: data };
    expect(applyOne([patch], [live]).input).to.equal('{"y":1,"x":{}}');
    expect(applyOne([patch]).input).to.equal(JSON.stringify(data));
  });

  it('merges into a column that holds no object as into an empty one', () => {
    const data = { x: { constructor: 1, y: [{ prototype: 2 }] }, n: null };
    for (const input of [undefined, null, 'a text', [1]]) {
      const merged = applyOne(
        [{ id: 'a', _is_merge: true, input: data }],
        [liveRow({ id: 'a', input })],
      );
      expect(merged.input).to.equal('{"x":{"y":[{"prototype":2}]},"n":null}');
      const usual = { id: 'a', _is_merge: true, input: { text: '"constructor":', n: 1e21 } };
      expect(applyOne([usual], [liveRow({ id: 'a', input })])).to.include({
        input: '{"text":"\\"constructor\\":","n":1e+21}',
        _lossless: false,
      });
    }
    for (const input of [0, 'text', [{ prototype: 2 }], false])
      expect(
        applyOne([{ id: 'a', _is_merge: true, input }], [liveRow({ id: 'a', input: { b: 1 } })])
          .input,
      ).to.equal(JSON.stringify(input));
  });

  it('parses neither the row nor what is merged into it', async () => {
    const keys = Array.from({ length: 1000 }, (_, index) => [`key ${index}`, { constructor: 1 }]);
    const large = { ...(Object.fromEntries(keys) as object), constructor: 1 };
    const live = liveRow({ id: 'a', input: large });
    const input = { m: large, 'key 1': { b: 1 } };
    const [event] = decode([{ id: 'a', _is_merge: true, input, _merge_paths: [['input', 'k']] }]);
    const rows = new Map([[live.id, live]]);
    const longest = await longestParsed(() => applyEvents(object, [event!], rows, 1n));
    expect(longest).to.be.below(100);
  });

  it('says of a merged row whether it is lossless', () => {
    const [exact] = applyEvents(
      object,
      decodeEvents('experiment', '{"events":[{"id":"a","input":{"n":1e400},"output":{"b":1}}]}'),
      new Map(),
      1n,
    ).map(rowOfStrings);
    if (exact === undefined) throw new Error('expected a row');
    expect(exact._lossless).to.equal(true);
    const merged = applyOne([{ id: 'a', _is_merge: true, input: { m: 1 } }], [exact]);
    expect(merged).to.include({ _lossless: true, input: '{"n":1e400,"m":1}' });
    const beside = applyOne([{ id: 'a', _is_merge: true, output: { c: 2 } }], [exact]);
    expect(beside).to.include({ _lossless: true, input: '{"n":1e400}' });
    const plain = liveRow({ id: 'a', output: { b: 1 } });
    const made = applyOne([{ id: 'a', _is_merge: true, output: { 2: 1 } }], [plain]);
    expect(made).to.include({ _lossless: true, output: '{"b":1,"2":1}' });
    const replaced = applyOne([{ id: 'a', _is_merge: true, input: null }], [exact]);
    expect(replaced).to.include({ _lossless: true, input: null, output: '{"b":1}' });
    const reordered = applyOne(
      [{ id: 'a', _is_merge: true, input: null, output: { 2: 1 } }],
      [exact],
    );
    expect(reordered).to.include({ _lossless: true, output: '{"b":1,"2":1}' });
  });

  it('inserts a merge that has no live row', () => {
    expect(applyOne([{ id: 'a', _is_merge: true, input: 1 }])).to.include({
      input: '1',
      created: 200n,
    });
    const events = [
      { id: 'a', _object_delete: true },
      { id: 'a', _is_merge: true, output: 2 },
    ];
    const live = liveRow({ id: 'a', input: 1, created: '1970-01-01' });
    expect(applyOne(events, [live])).to.include({ input: null, output: '2', created: 200n });
  });

  it('places a child under its parent, live or earlier in the request', () => {
    const live = liveRow({ id: 'p', span_id: 'ps', root_span_id: 'root', span_parents: ['x'] });
    const [child, grandchild] = apply(
      [
        { id: 'c', _parent_id: 'p' },
        { id: 'g', _parent_id: 'c' },
      ],
      [live],
    );
    expect(child).to.deep.include({
      span_id: 'new-1',
      root_span_id: 'root',
      span_parents: ['ps'],
      is_root: false,
    });
    expect(grandchild).to.deep.include({
      span_id: 'new-2',
      root_span_id: 'root',
      span_parents: ['new-1'],
    });
  });

  it('refuses a parent that is unknown, comes later or was deleted, and names it', () => {
    const message = 'events[1]._parent_id: no row has the id "p"';
    const live = liveRow({ id: 'p' });
    const child = { id: 'c', _parent_id: 'p' };
    expect(() => apply([{}, child]))
      .to.throw(message)
      .with.property('status', 400);
    expect(() => apply([{}, child, { id: 'p' }])).to.throw(message);
    expect(() => apply([{ id: 'p', _object_delete: true }, child], [live])).to.throw(message);
  });

  it('makes tombstones, also of unknown ids, which keep nothing but the id', () => {
    const live = liveRow({ id: 'a', input: 1 });
    const deletion = { id: 'a', _object_delete: true, input: 2, tags: ['t'], _is_merge: true };
    for (const rows of [[live], []]) {
      expect(applyOne([deletion], rows)).to.include({
        id: 'a',
        _deleted: true,
        input: null,
        tags: null,
      });
    }
  });

  it('makes a new row of an id that was deleted before', () => {
    const live = liveRow({ id: 'a', created: '1970-01-01', input: 1 });
    const events = [
      { id: 'a', _object_delete: true },
      { id: 'a', output: 2 },
    ];
    expect(applyOne(events, [live])).to.include({ _deleted: false, created: 200n, input: null });
  });

  it('stores one version per id, its last state, at the place of its last occurrence', () => {
    const rows = apply([
      { id: 'a', input: 1 },
      { id: 'b', input: 2 },
      { id: 'a', _is_merge: true, output: 3 },
      { id: 'c' },
    ]);
    expect(rows.map((row) => [row.id, row.input, row.output])).to.deep.equal([
      ['b', '2', null],
      ['a', '1', '3'],
      ['c', null, null],
    ]);
  });

  it('does not carry the place of a stored row over into a merged one', () => {
    const live = { ...liveRow({ id: 'a' }), _xact_id: 5n, _position: 3 };
    expect(applyOne([{ id: 'a', _is_merge: true, input: 1 }], [live])).to.not.have.any.keys(
      '_xact_id',
      '_position',
    );
  });
});

const needed = (events: readonly object[]) => [...neededRows(decode(events))];

describe('event/neededRows', () => {
  it('asks for merge bases and parents', () => {
    expect(needed([{ id: 'm', _is_merge: true }, { _parent_id: 'p' }])).to.deep.equal(['m', 'p']);
  });

  it('asks for nothing that the request makes itself, nor for inserts and deletes', () => {
    expect(needed([{}, { id: 'a' }, { id: 'd', _object_delete: true }])).to.deep.equal([]);
    expect(needed([{ _is_merge: true }])).to.deep.equal([]);
    expect(
      needed([{ id: 'a' }, { id: 'a', _is_merge: true }, { id: 'b', _parent_id: 'a' }]),
    ).to.deep.equal([]);
    expect(needed([{ id: 'a', _object_delete: true, _is_merge: true }])).to.deep.equal([]);
  });

  it('asks for what a later event of the request makes', () => {
    expect(needed([{ id: 'c', _parent_id: 'p' }, { id: 'p' }])).to.deep.equal(['p']);
    expect(
      needed([
        { id: 'm', _is_merge: true },
        { id: 'm', _parent_id: 'm' },
      ]),
    ).to.deep.equal(['m']);
  });
});
