// Addresses of the console.
import { expect } from 'chai';
import { routeOf } from '../../src/console/shell/routes.js';

describe('addresses of the console', () => {
  it('name screens', () => {
    expect(routeOf([])).to.deep.equal({ name: 'start' });
    expect(routeOf(['o'])).to.deep.equal({ name: 'home', organisation: 'o' });
    expect(routeOf(['o', 'p', 'a/b'])).to.deep.equal({
      name: 'project',
      organisation: 'o',
      project: 'a/b',
      view: null,
    });
    expect(routeOf(['o', 'p', 'x', 'experiments', 'e'])).to.deep.include({
      view: { name: 'experiment', of: 'e' },
    });
    for (const wrong of [
      ['o', 'q'],
      ['o', 'p', 'x', 'nothing'],
      ['o', 'p', 'x', 'logs', 'y'],
      ['o', 'p', 'x', 'datasets', 'y', 'z'],
    ])
      expect(routeOf(wrong), wrong.join('/')).to.deep.equal({ name: 'unknown' });
  });
});
