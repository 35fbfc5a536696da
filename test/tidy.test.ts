// The rules of src/ARCHITECTURE.md that a reader cannot be trusted to keep by hand.
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { languagePages, manualPages } from './readme/readme.js';

const mayImport: Readonly<Record<string, readonly string[]>> = {
  schema: ['duckdb/sql', 'json/json'],
  resource: ['schema'],
  http: ['service', 'resource', 'schema', 'json', 'errors', 'config', 'open-files'],
  service:
    'event otlp catalog store/event-store query resource schema json duckdb/sql errors config in-steps work-thread turns'.split(
      ' ',
    ),
  event: ['schema', 'json', 'errors'],
  otlp: ['schema', 'json', 'errors'],
  query: ['duckdb/sql', 'duckdb/json-path', 'duckdb/parquet', 'schema', 'json', 'text', 'errors'],
  catalog: 'duckdb resource schema json errors durable-file in-steps turns'.split(' '),
  store: 'duckdb event schema json text errors in-steps turns durable-file open-files'.split(' '),
  json: ['errors'],
  text: [],
  duckdb: ['errors'],
  demo: [],
  manual: [],
  explain: 'service catalog store query schema duckdb config known-formats'.split(' '),
  console: [],
};

/** The folders inside a folder: files of each import from their own folder and from earlier ones, which rules out cycles. */
const layers: Readonly<Record<string, readonly string[]>> = {
  store: 'row file segment log manifest recovery commit read maintenance check rebuild'.split(' '),
  query: 'generated syntax bound value catalog bind cursor sql page summary'.split(' '),
};

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => /(?<!\.d)\.(?:c?ts|tsx)$/.test(path) && !path.includes('generated'))
  .map((path) => ({ path, text: readFileSync(join('src', path), 'utf8') }));

const importsOf = ({ path, text }: { path: string; text: string }) =>
  [...text.matchAll(/(?:from |import\()'(\.[^']+)\.js'/g)].map(([, target]) =>
    normalize(join(dirname(path), target ?? '')),
  );

/** Packages that the console is made of: what is in a page is small, and none of it reaches the machine. */
const consolePackages = [
  '@tanstack/react-query',
  '@tanstack/react-virtual',
  'diff',
  'fzstd',
  'hyparquet',
  'hyparquet/src/read.js',
  'hyparquet/src/rowgroup.js',
  'papaparse',
  'react',
  'react-dom',
  'react-dom/client',
];

const isAllowed = (folder: string, target: string) =>
  target.startsWith(`${folder}/`) ||
  (mayImport[folder] ?? []).some(
    (allowed) => target === allowed || target.startsWith(`${allowed}/`),
  );

/** What links to the headings of a page say behind the `#`. */
const anchorsOf = (page: string) =>
  Array.from(readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

describe('tidy', () => {
  it('every folder of src has a rule, and imports follow the rules', () => {
    const broken = sources
      .filter(({ path }) => path.includes('/'))
      .flatMap((source) => {
        const folder = dirname(source.path).split('/')[0] ?? '';
        if (!(folder in mayImport)) return [`${folder}: no rule`];
        return importsOf(source)
          .filter((target) => !isAllowed(folder, target))
          .map((target) => `${source.path} imports ${target}`);
      });
    expect(broken).to.deep.equal([]);
  });

  it('inside store and query a folder imports from earlier folders alone', () => {
    const broken = Object.entries(layers).flatMap(([folder, order]) =>
      sources
        .filter(({ path }) => path.startsWith(`${folder}/`) && path.split('/').length > 2)
        .flatMap((source) => {
          const layer = order.indexOf(source.path.split('/')[1] ?? '');
          if (layer === -1) return [`${source.path}: no layer`];
          const allowed = new Set(order.slice(0, layer + 1));
          return importsOf(source)
            .filter((target) => target.startsWith(`${folder}/`))
            .filter((target) => !allowed.has(target.split('/')[1] ?? ''))
            .map((target) => `${source.path} imports ${target}`);
        }),
    );
    expect(broken).to.deep.equal([]);
  });

  it('every source file is imported by another one or is an entry', () => {
    const entries = new Set([
      'evalstore.cts',
      'main.ts',
      'explain.ts',
      'check-data.ts',
      'keys.ts',
      'rebuild-manifest.ts',
      'demo/main.ts',
      'manual/build.ts',
      'duckdb/thread-entry.ts',
      'store/read/arrow-batches.ts',
      'console/main.tsx',
    ]);
    const imported = new Set(sources.flatMap(importsOf));
    const dead = sources
      .map(({ path }) => path)
      .filter((path) => !entries.has(path) && !imported.has(path.replace(/\.tsx?$/, '')));
    expect(dead).to.deep.equal([]);
  });

  it('the console is made of its own packages alone, and HTTP is all that leads to the server', () => {
    const used = sources
      .filter(({ path }) => path.startsWith('console/'))
      .flatMap(({ text }) =>
        Array.from(text.matchAll(/(?:from |import |import\()'([^.'][^']*)'/g), ([, name]) => name!),
      );
    expect([...new Set(used)].toSorted((a, b) => (a < b ? -1 : 1))).to.deep.equal(consolePackages);
  });

  it('nothing else imports the console', () => {
    const users = sources.filter(
      (source) =>
        !source.path.startsWith('console/') &&
        importsOf(source).some((target) => target.startsWith('console/')),
    );
    expect(users.map(({ path }) => path)).to.deep.equal([]);
  });

  it('files are at most 350 lines long', () => {
    const long = sources.filter(({ text }) => text.split('\n').length > 350);
    expect(long.map(({ path }) => path)).to.deep.equal([]);
  });

  it('the files that ARCHITECTURE.md opens for a change are there', () => {
    const [, section = ''] =
      /^## How to make a change\n([\s\S]*?)^## /m.exec(
        readFileSync('src/ARCHITECTURE.md', 'utf8'),
      ) ?? [];
    const named = Array.from(
      section.matchAll(/`((?:src|test|grammar)\/[^`]*)`/g),
      ([, file]) => file!,
    );
    expect(named).to.have.length.above(30);
    expect(named.filter((file) => !existsSync(file))).to.deep.equal([]);
  });

  it('no file has a name that says nothing', () => {
    const vague = sources.filter(({ path }) => /(utils?|helpers?|common|misc)\.tsx?$/.test(path));
    expect(vague.map(({ path }) => path)).to.deep.equal([]);
  });

  it('the environment is read in the entries alone', () => {
    // The console shows programs that read theirs.
    const readers = sources.filter(
      ({ path, text }) => text.includes('process.env') && !path.startsWith('console/'),
    );
    expect(readers.map(({ path }) => path).sort()).to.deep.equal([
      'check-data.ts',
      'demo/main.ts',
      'evalstore.cts',
      'explain.ts',
      'keys.ts',
      'main.ts',
      'rebuild-manifest.ts',
    ]);
  });

  it('SQL is written below the services only', () => {
    const writers = sources.filter(
      ({ path, text }) => /\bsql`/.test(text) && path !== 'explain.ts',
    );
    const folders = new Set(writers.map(({ path }) => dirname(path).split('/')[0]));
    expect(
      [...folders].filter((folder) => !/^(query|catalog|store|duckdb)$/.test(folder ?? '')),
    ).to.deep.equal([]);
  });

  it('Parquet files are read by one function of SQL alone', () => {
    const spelt = sources.filter(({ text }) => text.includes('read_parquet('));
    expect(spelt.map(({ path }) => path)).to.deep.equal(['duckdb/parquet.ts']);
  });

  it('SQL text as it is comes from settings, the engine and the ends of lines alone', () => {
    const users = sources.filter(({ text }) => /import[^;]*\btrusted\b[^;]*sql\.js'/.test(text));
    expect(users.map(({ path }) => path).sort()).to.deep.equal([
      'duckdb/database.ts',
      'store/read/text-parts.ts',
    ]);
  });

  it('the lock file has a checksum for every package, on every platform', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
    };
    const unchecked = Object.entries(packages).filter(
      ([path, { integrity }]) => path !== '' && integrity === undefined,
    );
    expect(unchecked.map(([path]) => path)).to.deep.equal([]);
  });

  it('links in the pages lead somewhere', () => {
    const broken = [
      'README.md',
      'src/ARCHITECTURE.md',
      ...languagePages.keys(),
      ...manualPages.keys(),
    ].flatMap((page) =>
      Array.from(
        readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g),
        ([, file = '', anchor = '']) => ({ page, file: file && join(dirname(page), file), anchor }),
      ).filter(({ file, anchor }) => {
        if (file !== '' && !existsSync(file)) return true;
        return anchor !== '' && !anchorsOf(file || page).includes(anchor);
      }),
    );
    expect(broken).to.deep.equal([]);
  });
});
