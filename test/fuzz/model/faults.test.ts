import { expect } from 'chai';
import { settings } from './explore.js';
import { misplaced } from '../../support/planted.js';
import { faults } from './faults.js';

describe('planted faults', () => {
  it('have their one place in the built server, and a setting to show under', async () => {
    const lost = [...(await misplaced(faults))];
    for (const { name, setting } of faults)
      if (setting !== undefined && !settings.some((known) => known.name === setting))
        lost.push(`${name}: no setting ${setting}`);
    expect(lost).to.deep.equal([]);
  });
});
