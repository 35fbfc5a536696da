// The rules of the pages for developers that a reader cannot be trusted to keep by hand.
import { readdirSync, readFileSync, existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { languagePages, manualPages } from './readme/readme.js';

/** The rows of the tables of a page whose first cell names folders, such as `row/`: the folders, and the other cells. */
const folderRows = (page: string): readonly (readonly [folders: string[], cells: string[]])[] =>
  readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => /^\| \[?`[\w/]+\/`/.test(line))
    .map((line) => {
      const [first = '', ...cells] = line.slice(2, -1).split('|');
      return [Array.from(first.matchAll(/`([\w/]+)\/`/g), ([, name]) => name!), cells];
    });

/** What the files of each folder may import besides those of their own: the last column of the table in src/README.md. */
const mayImport: ReadonlyMap<string, readonly string[]> = new Map(
  folderRows('src/README.md').flatMap(([folders, cells]) =>
    folders.map((folder) => [
      folder,
      Array.from((cells.at(-1) ?? '').matchAll(/`([^`]+)`/g), ([, name]) => name!),
    ]),
  ),
);

/** The rooms of a folder in the order of its table: files of each import from their own room and from earlier ones, which rules out cycles. */
const roomsOf = (folder: string): readonly string[] =>
  folderRows(`src/${folder}/README.md`).flatMap(([rooms]) => rooms);

const layers: Readonly<Record<string, readonly string[]>> = {
  store: roomsOf('store'),
  query: ['generated', ...roomsOf('query')],
  service: roomsOf('service'),
  console: roomsOf('console'),
};

/** The room of a file, such as `read/engine` of `store/read/engine/read-queue`; undefined if the file is in none. */
const roomOf = (folder: string, order: readonly string[], path: string): string | undefined =>
  order
    .filter((room) => isWithin(path, `${folder}/${room}`))
    .toSorted((a, b) => b.length - a.length)[0];

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

const isWithin = (target: string, allowed: string) =>
  target === allowed || target.startsWith(`${allowed}/`);

const isAllowed = (folder: string, target: string) =>
  isWithin(target, folder) ||
  (mayImport.get(folder) ?? []).some((allowed) => isWithin(target, allowed));

/** The pages for developers, in the order in which they are read. */
const developerPages = [
  'CONTRIBUTING.md',
  'src/README.md',
  ...readdirSync('src', { withFileTypes: true })
    .map(({ name }) => `src/${name}/README.md`)
    .filter((page) => existsSync(page)),
  'test/README.md',
];

/** The largest page for developers, in bytes; README.md is smaller. */
const pageBytesMax = 12 * 2 ** 10;
const readmeBytesMax = 10 * 2 ** 10;

/** The paths that a page has as code: `src/errors.ts`, `tables.ts`, `http/app`, `service/events.insertEvents`, `segment/`. */
const pathsIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/`([\w./-]+)`/g), ([, path]) => path!).filter(
    (path) =>
      /^\w[\w.-]*\/./.test(path) ||
      /\.(?:ts|tsx|g4|md|css|mjs|sh)$|^[a-z]+(?:-[a-z]+)+$/.test(path),
  );

/** What is no path of the repository, but of the data directory, of a build or a package. */
const isElsewhere = (path: string): boolean => /^(?:data|segments|dist|@\w+)\//.test(path);

const withEnding = (path: string): string | undefined =>
  ['', '.ts', '.tsx'].map((ending) => path + ending).find((file) => existsSync(file));

/**
 * The paths that lead nowhere. One leads to a file or a folder from the root, from `src`, from the folder of the page, or from that of the
 * path before it; a function may follow the name of its file.
 */
function lostPaths(page: string): readonly string[] {
  let beside = dirname(page);
  return pathsIn(readFileSync(page, 'utf8')).filter((path) => {
    if (isElsewhere(path)) return false;
    const found = [path, path.replace(/\.\w+$/, '')]
      .flatMap((name) => ['', 'src', dirname(page), beside].map((folder) => join(folder, name)))
      .map(withEnding)
      .find((file) => file !== undefined);
    if (found !== undefined && path.includes('/'))
      beside = path.endsWith('/') ? found : dirname(found);
    return found === undefined;
  });
}

/** What links to the headings of a page say behind the `#`. */
const anchorsOf = (page: string) =>
  Array.from(readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

/**
 * The most lines of code in each folder of `src`; `.` is the files beside the folders. A number falls when code goes, and rises only for
 * a feature that CHANGELOG.md names.
 */
const linesMax: Readonly<Record<string, number>> = {
  '.': 1635,
  bucket: 360,
  catalog: 2975,
  cli: 5375,
  console: 14725,
  duckdb: 2450,
  event: 3250,
  http: 5025,
  json: 2600,
  manual: 200,
  otlp: 2650,
  query: 11925,
  schema: 3530,
  service: 10250,
  store: 19460,
  text: 200,
  trino: 250,
};

describe('tidy', () => {
  it('every folder of src has a rule, and imports follow the rules', () => {
    const broken = sources
      .filter(({ path }) => path.includes('/'))
      .flatMap((source) => {
        const folder = dirname(source.path).split('/')[0] ?? '';
        if (!mayImport.has(folder)) return [`${folder}: no rule`];
        return importsOf(source)
          .filter((target) => !isAllowed(folder, target))
          .map((target) => `${source.path} imports ${target}`);
      });
    expect(broken).to.deep.equal([]);
  });

  it('no folder may import what it does not import', () => {
    const unused = [...mayImport].flatMap(([folder, allowed]) => {
      const targets = sources.filter(({ path }) => isWithin(path, folder)).flatMap(importsOf);
      return allowed
        .filter((each) => !targets.some((target) => isWithin(target, each)))
        .map((each) => `${folder}: ${each}`);
    });
    expect(unused).to.deep.equal([]);
  });

  it('inside store, query, service and console a room imports from earlier rooms alone', () => {
    const broken = Object.entries(layers).flatMap(([folder, order]) =>
      sources
        .filter(({ path }) => path.startsWith(`${folder}/`) && path.split('/').length > 2)
        .flatMap((source) => {
          const room = roomOf(folder, order, source.path);
          if (room === undefined) return [`${source.path}: no room`];
          const later = new Set(order.slice(order.indexOf(room) + 1));
          return importsOf(source)
            .filter((target) => later.has(roomOf(folder, order, target) ?? room))
            .map((target) => `${source.path} imports ${target}`);
        }),
    );
    expect(broken).to.deep.equal([]);
  });

  it('no files import each other in a circle, not even for types', () => {
    const importers = new Map(
      sources.map((source) => [source.path.replace(/\.tsx?$/, ''), new Set(importsOf(source))]),
    );
    // Files that import nothing that is left are in no circle.
    for (let isSmaller = true; isSmaller;) {
      const ends = [...importers].filter(([, targets]) =>
        [...targets].every((target) => !importers.has(target)),
      );
      for (const [path] of ends) importers.delete(path);
      isSmaller = ends.length > 0;
    }
    expect([...importers.keys()]).to.deep.equal([]);
  });

  it('every source file is imported by another one or is an entry', () => {
    const entries = new Set([
      'evalstore.cts',
      'cli/entry.ts',
      'manual/build.ts',
      'duckdb/thread-entry.ts',
      'store/read/answer/arrow-batches.ts',
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

  it('no folder has more lines than its budget', () => {
    const lines = new Map<string, number>();
    for (const { path, text } of sources) {
      const [folder = ''] = path.includes('/') ? path.split('/') : ['.'];
      lines.set(folder, (lines.get(folder) ?? 0) + text.split('\n').length - 1);
    }
    const over = [...lines].filter(([folder, count]) => count > (linesMax[folder] ?? 0));
    expect(over).to.deep.equal([]);
  });

  it('README.md has at most 10 KB, and pages for developers at most 12 KB', () => {
    expect(statSync('README.md').size).to.be.at.most(readmeBytesMax);
    const long = developerPages.filter((page) => statSync(page).size > pageBytesMax);
    expect(long).to.deep.equal([]);
  });

  it('the files that pages for developers name are there', () => {
    expect(pathsIn(readFileSync('src/README.md', 'utf8'))).to.have.length.above(60);
    const lost = developerPages.flatMap((page) => lostPaths(page).map((path) => ({ page, path })));
    expect(lost).to.deep.equal([]);
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
    expect(readers.map(({ path }) => path).sort()).to.deep.equal(['cli/entry.ts', 'evalstore.cts']);
  });

  it('SQL is written below the services only', () => {
    const writers = sources.filter(({ text }) => /\bsql`/.test(text));
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
      'store/read/answer/text-parts.ts',
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
      ...developerPages,
      ...languagePages.keys(),
      ...manualPages.keys(),
    ].flatMap((page) =>
      Array.from(
        readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g),
        ([, file = '', anchor = '']) => ({
          page,
          file: file && join(dirname(page), file),
          anchor,
        }),
      ).filter(({ file, anchor }) => {
        if (file !== '' && !existsSync(file)) return true;
        return anchor !== '' && !anchorsOf(file || page).includes(anchor);
      }),
    );
    expect(broken).to.deep.equal([]);
  });
});
