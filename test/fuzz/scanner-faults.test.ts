import { expect } from 'chai';
import { misplaced } from '../support/planted.js';
import { scannerFaults } from './scanner-faults.js';

describe('faults of the scanner', () => {
  it('have their one place in the built server', async () => {
    expect(await misplaced(scannerFaults)).to.deep.equal([]);
  });
});
