// rules.json has every rule of the interface and of reference-behaviour that is not a single parameter, field or
// answer, each tied to tests by their full titles, in which `*` stands for anything. The tests exist, are not left
// out, and ask a server.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

interface Listed {
  readonly fullTitle: string;
  readonly file: string;
}

interface Listing {
  readonly tests: readonly Listed[];
  readonly pending: readonly Listed[];
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Titles of tests by rule, by section. */
const rules = JSON.parse(
  readFileSync(path.join(root, 'test/inventory/rules.json'), 'utf8'),
) as Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const mocha = path.join(root, 'node_modules/.bin/mocha');

/** The files that the slow suite finds. */
const { spec: slowFiles } = JSON.parse(
  readFileSync(path.join(root, '.mocharc.slow.json'), 'utf8'),
) as { readonly spec: readonly string[] };

/** The tests of both suites, loaded once; none of them runs. */
async function listed(): Promise<readonly Listed[]> {
  const { stdout } = await promisify(execFile)(
    mocha,
    ['--config', '.mocharc.json', ...slowFiles, '--dry-run', '--no-parallel', '--reporter', 'json'],
    { cwd: root, maxBuffer: 2 ** 26 },
  );
  const { tests, pending } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Listing;
  const leftOut = new Set(pending.map(({ fullTitle }) => fullTitle));
  return tests.filter(({ fullTitle }) => !leftOut.has(fullTitle));
}

/** `*` stands for anything; every other character for itself. */
const patternOf = (title: string): RegExp =>
  new RegExp(`^${title.split('*').map(escapeText).join('.*')}$`, 's');

const escapeText = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const asksServer = (file: string): boolean =>
  /support\/(?:start-server|hosted-server|serve)\.js/.test(readFileSync(file, 'utf8'));

describe('rules', () => {
  let titles: readonly string[];

  before(async function () {
    this.timeout(120_000);
    const tests = await listed();
    const files = new Set(tests.map(({ file }) => file).filter(asksServer));
    titles = tests.filter(({ file }) => files.has(file)).map(({ fullTitle }) => fullTitle);
  });

  for (const [section, lines] of Object.entries(rules)) {
    describe(section, () => {
      for (const [says, tests] of Object.entries(lines)) {
        it(`${says} is tested on a server`, () => {
          expect(tests).not.to.deep.equal([]);
          const missing = tests.filter((title) => {
            const pattern = patternOf(title);
            return !titles.some((candidate) => pattern.test(candidate));
          });
          expect(missing, 'titles of no test').to.deep.equal([]);
        });
      }
    });
  }
});
