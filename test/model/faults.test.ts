import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { settings } from './explore.js';
import { faults } from './faults.js';

describe('planted faults', () => {
  it('have their one place in the built server, and a setting to show under', async () => {
    const lost: string[] = [];
    for (const { name, file, from, setting } of faults) {
      const text = await readFile(new URL(`../../src/${file}`, import.meta.url), 'utf8');
      if (text.split(from).length !== 2) lost.push(`${name}: ${file} has not once: ${from}`);
      if (setting !== undefined && !settings.some((known) => known.name === setting))
        lost.push(`${name}: no setting ${setting}`);
    }
    expect(lost).to.deep.equal([]);
  });
});
