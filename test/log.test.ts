import { expect } from 'chai';
import { spawnSync } from 'node:child_process';

const logModule = new URL('../src/log.js', import.meta.url).href;

/** What a process writes to standard error that logs in this way. */
const logged = (script: string): readonly string[] => {
  const source = `import { openLog } from '${logModule}'; const log = openLog('info'); ${script}`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source]);
  return stderr
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => (JSON.parse(line) as { readonly msg: string }).msg);
};

describe('the log', () => {
  it('has the lines of all turns in their order', () => {
    const script = `log.info('1'); log.warn('2'); log.debug('none');
      setTimeout(() => { log.info('3'); setImmediate(() => log.info('4')); }, 5);`;
    expect(logged(script)).to.deep.equal(['1', '2', '3', '4']);
  });

  for (const [how, end] of [
    ['that exits', 'process.exit(1)'],
    ['that fails', "throw new Error('fault')"],
  ] as const) {
    it(`has the last lines of a process ${how}`, () => {
      expect(logged(`log.info('first'); log.error('last'); ${end}`)).to.deep.equal([
        'first',
        'last',
      ]);
    });
  }

  it('does not end a process when it cannot be written', () => {
    const script = `import { openLog } from '${logModule}'; const log = openLog('info'); log.info('1');
      setTimeout(() => { log.info('2'); setImmediate(() => process.exit(7)); }, 5);`;
    const command = 'exec "$0" --input-type=module --eval "$1" 2> /dev/full';
    const { status } = spawnSync('sh', ['-c', command, process.execPath, script]);
    expect(status).to.equal(7);
  });

  it('has more lines in one turn than a pipe holds', () => {
    const script = "for (let line = 0; line < 2000; line++) log.info('x'.repeat(100));";
    expect(logged(script)).to.have.length(2000);
  });
});
