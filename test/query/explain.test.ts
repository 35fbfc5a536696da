import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../src/explain.js', import.meta.url));

const explain = (...words: readonly string[]) =>
  spawnSync(process.execPath, [program, ...words], { encoding: 'utf8' });

describe('explain', () => {
  it('shows every stage of a query', () => {
    const { stdout, status } = explain(
      "dimensions: metadata.model | measures: avg(scores.x) | from: experiment('e1')",
    );
    expect(status).to.equal(0);
    for (const stage of ['tree', 'ast', 'text', 'bound', 'lookups', 'plan', 'sql', 'parameters']) {
      expect(stdout).to.match(new RegExp(`^${stage}$`, 'm'));
    }
    expect(stdout).to.contain('avg(f1) AS a0').and.to.contain('(clause dimensions');
  });

  it('shows what use_columnstore does', () => {
    const query = "select: id | from: experiment('e1')";
    expect(explain(query).stdout).to.match(/^columnstore\nbuffered rows: read from the buffer$/m);
    expect(explain('--use-columnstore', query).stdout).to.match(
      /^columnstore\nmore than 20000 buffered rows .*: moved to segments first, at most every 60 s per project/m,
    );
  });

  it('prints what is wrong with a query', () => {
    const { stderr, status } = explain('selct: id');
    expect(status).to.equal(1);
    expect(stderr).to.equal(
      "query line 1, column 1: unknown clause 'selct' (did you mean 'select'?)\n",
    );
  });
});
