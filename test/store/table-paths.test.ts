import { expect } from 'chai';
import { pathKey, type LeafColumns, type SegmentPaths } from '../../src/schema/event-relation.js';
import { pathsIn } from '../../src/store/iceberg/paths.js';
import { tableColumns } from '../../src/store/iceberg/columns.js';

const none: LeafColumns = { number: null, string: null, boolean: null, elsewhere: null };

const segment = (
  ...leaves: readonly (readonly [string, Partial<LeafColumns>])[]
): SegmentPaths => ({
  metadata: {
    leaves: new Map(leaves.map(([name, of]) => [pathKey([name]), { ...none, ...of }] as const)),
    textPaths: new Set([pathKey(['text'])]),
    complete: false,
  },
});

const tableOf = (segments: readonly SegmentPaths[]) => {
  const { fields } = tableColumns(
    segments.map((paths, index) => ({ paths, rows: 10 - index })),
    [],
  );
  const schemas = [
    { 'schema-id': 0, fields: [] },
    { 'schema-id': 1, fields },
  ];
  const snapshots = [{ 'snapshot-id': 7, 'schema-id': 1 }];
  return { location: '', metadata: JSON.stringify({ schemas, snapshots }) };
};

describe('the paths of a segment in a table', () => {
  const strings = segment(['n', { string: 'metadata/n' }]);
  const numbers = segment(['n', { number: 'metadata/n' }], ['N', { boolean: 'metadata/N~2' }]);

  it('have the names of the columns there', () => {
    const named = pathsIn(tableOf([strings, numbers]), 7)!;
    expect(named({ paths: strings })).to.deep.equal(strings);
    const both = named({ paths: numbers })?.metadata;
    const names = ['n', 'N'].map((name) => both?.leaves.get(pathKey([name])));
    const [{ number } = none, { boolean } = none] = names;
    expect([number, boolean]).to.deep.equal(['metadata/n~3', 'metadata/N~2']);
    expect(both?.textPaths).to.deep.equal(numbers.metadata?.textPaths);
    expect(both?.complete).to.equal(false);
  });

  it('are null if the snapshot lacks one', () => {
    expect(pathsIn(tableOf([strings]), 7)!({ paths: numbers })).to.equal(null);
    expect(pathsIn(tableOf([strings]), 6)).to.equal(null);
  });
});
