// The tree of a trace: every span once, parents first, whatever the parents say.
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  matching,
  tokensOf,
  treeOf,
  unfolded,
  type Span,
} from '../../src/console/screens/trace/tree.js';

const spanOf = (id: string, parent: string | null, start: number | null = null): Span => ({
  id,
  span_id: id,
  span_parents: parent === null ? null : [parent],
  name: null,
  type: null,
  purpose: null,
  start,
  end: start === null ? null : start + 1,
  tokens: null,
  failed: false,
  created: '2024-01-01T00:00:00Z',
});

const shapeOf = (spans: readonly Span[]) =>
  treeOf(spans).nodes.map(({ span, depth, note }) => [span.id, depth, note]);

describe('tree of a trace', () => {
  it('has children below their parents, in the order of their start', () => {
    const spans = [
      spanOf('c', 'a', 3),
      spanOf('b', 'a', 2),
      spanOf('d', 'b', 9),
      spanOf('a', null, 1),
    ];
    expect(shapeOf(spans)).to.deep.equal([
      ['a', 0, null],
      ['b', 1, null],
      ['d', 2, null],
      ['c', 1, null],
    ]);
  });

  it('has spans that started at the same time in the order in which they were logged', () => {
    const spans = [spanOf('c', 'a'), spanOf('b', 'a'), spanOf('a', null)];
    expect(shapeOf(spans).map(([id]) => id)).to.deep.equal(['a', 'b', 'c']);
  });

  it('shows spans whose parent is missing, and circles', () => {
    const spans = [
      spanOf('a', null),
      spanOf('o', 'gone'),
      spanOf('x', 'y'),
      spanOf('y', 'x'),
      spanOf('s', 's'),
    ];
    expect(shapeOf(spans)).to.have.deep.members([
      ['a', 0, null],
      ['o', 0, 'parent missing'],
      ['s', 0, 'its own ancestor'],
      ['x', 0, 'its own ancestor'],
      ['y', 1, null],
    ]);
  });

  it('has a span of the circle as its root, also if a later span is below it', () => {
    expect(shapeOf([spanOf('c', 'b'), spanOf('b', 'a'), spanOf('a', 'b')])).to.deep.equal([
      ['b', 0, 'its own ancestor'],
      ['a', 1, null],
      ['c', 1, null],
    ]);
  });

  it('has every span once, for any parents', () => {
    const spans = fc
      .array(fc.option(fc.nat(12)), { maxLength: 12 })
      .map((parents) =>
        parents.map((parent, index) =>
          spanOf(String(index), parent === null ? null : String(parent)),
        ),
      );
    fc.assert(
      fc.property(spans, (all) => {
        const { nodes } = treeOf(all);
        expect(nodes.map(({ span }) => span.id).toSorted()).to.deep.equal(
          all.map(({ id }) => id).toSorted(),
        );
        for (const [index, { depth, size }] of nodes.entries()) {
          const below = nodes.slice(index + 1).findIndex((node) => node.depth <= depth);
          expect(size).to.equal(below < 0 ? nodes.length - index - 1 : below);
        }
      }),
    );
  });

  it('is made of a chain of 20,000 spans', () => {
    const count = 20_000;
    const spans = Array.from({ length: count }, (_, index) =>
      spanOf(String(index), index === 0 ? null : String(index - 1), index),
    );
    expect(treeOf(spans).nodes.at(-1)?.depth).to.equal(count - 1);
  });

  it('leaves out what is below a folded span', () => {
    const { nodes } = treeOf([
      spanOf('a', null, 1),
      spanOf('b', 'a', 2),
      spanOf('c', 'b', 3),
      spanOf('d', 'a', 4),
    ]);
    const shown = (...folded: readonly string[]) =>
      unfolded(nodes, new Set(folded)).map(({ span }) => span.id);
    expect(shown()).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(shown('b')).to.deep.equal(['a', 'b', 'd']);
    expect(shown('a')).to.deep.equal(['a']);
  });

  it('has the tokens of its model calls, or of all spans without any, and none of scorers', () => {
    const spans: readonly Span[] = [
      { ...spanOf('a', null), tokens: 100 },
      { ...spanOf('b', 'a'), type: 'tool', tokens: 20 },
      { ...spanOf('c', 'a'), type: 'llm', tokens: 3 },
      { ...spanOf('d', 'a'), type: 'llm' },
      { ...spanOf('e', 'a'), type: 'llm', purpose: 'scorer', tokens: 1000 },
    ];
    const tokensWithout = (...ids: readonly string[]) =>
      tokensOf(treeOf(spans.filter(({ id }) => !ids.includes(id))).nodes);
    expect(tokensWithout()).to.equal(3);
    expect(tokensWithout('c', 'd')).to.equal(120);
    expect(tokensWithout('a', 'b', 'c', 'd')).to.equal(0);
  });

  it('is reduced to what a search found, and can be folded then', () => {
    const { nodes } = treeOf([
      spanOf('a', null, 1),
      spanOf('b', 'a', 2),
      spanOf('b1', 'b', 3),
      spanOf('b2', 'b', 4),
      spanOf('c', 'a', 5),
      spanOf('c1', 'c', 6),
      spanOf('d', null, 7),
    ]);
    const found = matching(nodes, new Set(['b2', 'c1']));
    expect(found.map(({ span, size }) => [span.id, size])).to.deep.equal([
      ['a', 4],
      ['b', 1],
      ['b2', 0],
      ['c', 1],
      ['c1', 0],
    ]);
    expect(unfolded(found, new Set(['b'])).map(({ span }) => span.id)).to.deep.equal([
      'a',
      'b',
      'c',
      'c1',
    ]);
  });
});
