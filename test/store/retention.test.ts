import { expect } from 'chai';
import { Retention } from '../../src/store/upkeep/retention.js';

describe('retention', () => {
  let retention: Retention;
  let gone: string[];
  const retire = (name: string) => retention.retire(() => gone.push(name));

  beforeEach(() => {
    retention = new Retention();
    gone = [];
  });

  it('disposes at once of what nobody reads', () => {
    retire('a');
    expect(gone).to.deep.equal(['a']);
  });

  it('waits for every pin that was taken before, and for none that was taken after', () => {
    const first = retention.pin();
    retire('a');
    const second = retention.pin();
    retire('b');
    const third = retention.pin();
    second();
    expect(gone).to.deep.equal([]);
    first();
    expect(gone).to.deep.equal(['a', 'b']);
    retire('c');
    expect(gone).to.deep.equal(['a', 'b']);
    third();
    expect(gone).to.deep.equal(['a', 'b', 'c']);
  });

  it('counts a pin once, however often it is let go', () => {
    const first = retention.pin();
    const second = retention.pin();
    retire('a');
    first();
    first();
    expect(gone).to.deep.equal([]);
    second();
    expect(gone).to.deep.equal(['a']);
  });
});
