// Which queries of the workbench are checked before they run.
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { checkable, partsAt } from '../../src/console/screens/workbench/check.js';

describe('the check of a query', () => {
  it('reads no rows', () => {
    expect(checkable('select: id | from: x')).to.equal('select: id | from: x\nlimit: 0');
  });
  it('replaces a limit at the end', () => {
    expect(checkable('select: id\nfrom: x\nlimit: 50\n')).to.equal('select: id\nfrom: x\nlimit: 0');
    expect(checkable('from: x | limit: 5')).to.equal('from: x | limit: 0');
  });
  it('takes no longer for a long line of dashes', () => {
    const text = `${'-'.repeat(1000)}\nselect: id | from: x`;
    // The limit ends a search that tries every way to divide the dashes.
    const checked: unknown = runInNewContext(
      'check()',
      { check: () => checkable(text) },
      { timeout: 10_000 },
    );
    expect(checked).to.equal(`${text}\nlimit: 0`);
  });
  for (const text of [
    '',
    'select: id | limit: 5 | from: x',
    'select: id -- | limit: 5',
    'SELECT id FROM x',
    ' -- why\n-- so\r\nselect id',
  ])
    it(`leaves ${JSON.stringify(text)} alone`, () => {
      expect(checkable(text)).to.equal(null);
    });
});

describe('the mark of an error', () => {
  it('counts code points', () => {
    expect(partsAt("'🙂🙂🙂' wrong 1", 7)).to.deep.equal(["'🙂🙂🙂' ", 'wrong', ' 1']);
    expect(partsAt('a 🙂b', 3)).to.deep.equal(['a ', '🙂', 'b']);
    expect(partsAt('a', 2)).to.deep.equal(['a', '', '']);
  });
});
