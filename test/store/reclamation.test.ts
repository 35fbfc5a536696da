import { expect } from 'chai';
import { Reclamation } from '../../src/store/file/reclamation.js';

describe('reclamation', () => {
  let reclamation: Reclamation;
  let gone: string[];
  const retire = (name: string) => reclamation.retire(() => gone.push(name));

  beforeEach(() => {
    reclamation = new Reclamation();
    gone = [];
  });

  it('disposes at once of what nobody reads', () => {
    retire('a');
    expect(gone).to.deep.equal(['a']);
  });

  it('waits for every pin that was taken before, and for none that was taken after', () => {
    const first = reclamation.pin();
    retire('a');
    const second = reclamation.pin();
    retire('b');
    const third = reclamation.pin();
    second();
    expect(gone).to.deep.equal([]);
    first();
    expect(gone).to.deep.equal(['a', 'b']);
    retire('c');
    expect(gone).to.deep.equal(['a', 'b']);
    third();
    expect(gone).to.deep.equal(['a', 'b', 'c']);
  });
});
