// Which queries of the workbench are checked before they run.
import { expect } from 'chai';
import { checkable } from '../../src/console/screens/workbench/check.js';

describe('the check of a query', () => {
  it('reads no rows', () => {
    expect(checkable('select: id | from: x')).to.equal('select: id | from: x\nlimit: 0');
  });
  for (const text of ['', 'select: id | limit: 5', 'SELECT id FROM x', ' -- why\n-- so\nselect id'])
    it(`leaves ${JSON.stringify(text)} alone`, () => {
      expect(checkable(text)).to.equal(null);
    });
});
