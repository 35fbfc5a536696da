// What `npm run explain` shows of a query alone.
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../src/explain.js', import.meta.url));

const explain = (...words: readonly string[]) =>
  spawnSync(process.execPath, [program, ...words], {
    encoding: 'utf8',
    env: { ...process.env, EVALSTORE_DATA_DIR: 'no/such/directory' },
  });

describe('explain without a data directory', () => {
  it('shows every stage of a query', () => {
    const { stdout, status } = explain(
      "dimensions: metadata.model | measures: avg(scores.x) | from: experiment('e1')",
    );
    expect(status).to.equal(0);
    for (const stage of ['tree', 'ast', 'text', 'bound', 'lookups', 'plan', 'sql', 'parameters']) {
      expect(stdout).to.match(new RegExp(`^${stage}$`, 'm'));
    }
    expect(stdout).to.contain('avg(f1) AS a0').and.to.contain('(clause dimensions');
    expect(stdout).to.contain(
      'no server has used the data directory "no/such/directory" yet: one table `event` is assumed',
    );
  });

  it('shows what use_columnstore does', () => {
    const query = "select: id | from: experiment('e1')";
    expect(explain(query).stdout).to.match(/^columnstore\nbuffered rows: read from the buffer$/m);
    expect(explain('--use-columnstore', query).stdout).to.match(
      /^columnstore\nmore than 20000 buffered rows .*: moved to segments first, at most every 60 s per project/m,
    );
  });

  it('refuses an option that it does not know', () => {
    const { stderr, status } = explain('--analyse', "select: id | from: experiment('e1')");
    expect(status).to.equal(1);
    expect(stderr)
      .to.match(/^Unknown option '--analyse'/)
      .and.not.to.match(/\n\s+at /);
  });

  it('prints what is wrong with a query', () => {
    const { stderr, status } = explain('selct: id');
    expect(status).to.equal(1);
    expect(stderr).to.equal(
      "query line 1, column 1: unknown clause 'selct' (did you mean 'select'?)\n",
    );
  });
});
