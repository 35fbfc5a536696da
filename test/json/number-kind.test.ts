import { expect } from 'chai';
import { kindOfNumber, withNumberKinds } from '../../src/json/number-kind.js';

describe('json/number-kind', () => {
  it('tells integers, doubles and numbers that a double does not hold apart', () => {
    const kinds = ['0', '-12', '9007199254740991', '1e3', '0.5', '-1.25e-7', '1.10']
      .concat(['9007199254740992', '9007199254740993', '1e300', '1e400', '0.12345678901234567890'])
      .map(kindOfNumber);
    expect(kinds.join('')).to.equal('iiiidddjjjjj');
  });

  it('replaces numbers between marks, and nothing else', () => {
    expect(withNumberKinds('nbs')).to.equal('nbs');
    expect(withNumberKinds('s#5##0.5#n#1e400#')).to.equal('sidnj');
  });
});
