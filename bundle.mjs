// Bundles the compiled server into `<dist>/server`, and the console into `<dist>/console`; collects the licences of the packages in
// them. A start of the server then reads a few files instead of about a thousand. Modules that threads load by URL are entries, too. All
// entries share chunks, so a thread has one instance of each module.
import { existsSync, readdirSync } from 'node:fs';
import { copyFile, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

const dist = await realpath(process.argv[2] ?? 'dist');
const source = path.join(dist, 'src');
const target = path.join(dist, 'server');

const entries = [
  'cli/entry.js',
  // For tests, which start it with settings that have no variable.
  'server.js',
  'duckdb/thread-entry.js',
  'service/event/decode-body-thread.js',
  'service/query/long-queries-entry.js',
  'store/maintenance/flush-rows.js',
  'store/read/answer/arrow-batches.js',
  'store/read/engine/collected-text.js',
  'store/read/engine/reader-module.js',
  'store/row/scalar-functions.js',
];

// Tests start it some hundred times. A copy of the sources without tests builds, too.
const storeProcess = path.join(dist, 'test/support/store-process.js');

/** Gives each module the URL that it would have in `server`, whichever file it is bundled into. */
const moduleUrls = {
  name: 'module-urls',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.js$/ }, async ({ path: file }) => {
      const name = path.relative(source, file);
      if (name.startsWith('..')) return null;
      const url = `new URL(${JSON.stringify(name)}, serverUrl).href`;
      return { contents: (await readFile(file, 'utf8')).replaceAll('import.meta.url', url) };
    });
  },
};

const banner = `import { createRequire as requireOf } from 'node:module';
const require = requireOf(import.meta.url);
const serverUrl = import.meta.url.slice(0, import.meta.url.lastIndexOf('/server/') + '/server/'.length);`;

const server = await build({
  // The names of files must not depend on the directory of the build.
  absWorkingDir: dist,
  minifyWhitespace: true,
  legalComments: 'none',
  entryPoints: [
    ...entries.map((entry) => ({ in: path.join(source, entry), out: entry.replace(/\.js$/, '') })),
    ...(existsSync(storeProcess) ? [{ in: storeProcess, out: 'store-process' }] : []),
  ],
  outdir: target,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  // What this release bundles is not updated by a newer Node.js.
  define: { 'process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED': '"true"' },
  // A native module.
  external: ['@duckdb/node-api'],
  plugins: [moduleUrls],
  banner: { js: banner },
  logLevel: 'warning',
  metafile: true,
});
await copyFile(path.join(source, 'evalstore.cjs'), path.join(target, 'evalstore.cjs'));

// The names of its files are hashes of their content.
const console = await build({
  entryPoints: ['src/console/main.tsx'],
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: path.join(dist, 'console'),
  bundle: true,
  splitting: true,
  format: 'esm',
  minify: true,
  target: 'es2022',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
});

/** The directories of the packages that a bundle has files of. */
const packagesIn = ({ metafile }, from) =>
  Object.keys(metafile.inputs)
    .map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.resolve(from, file))?.[0])
    .filter((directory) => directory !== undefined);

async function licenceOf(directory) {
  const about = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8'));
  const files = readdirSync(directory).filter((name) => /^(licen[cs]e|notice|copying)/i.test(name));
  const texts = await Promise.all(
    files.map((name) => readFile(path.join(directory, name), 'utf8')),
  );
  return [`${about.name} ${about.version} (${about.license ?? 'licence below'})`, ...texts]
    .join('\n\n')
    .trim();
}

const packages = new Set([...packagesIn(server, dist), ...packagesIn(console, '.')]);
const licences = await Promise.all([...packages].toSorted().map(licenceOf));
await writeFile(
  path.join(dist, 'third-party-licences.txt'),
  `${licences.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`,
);
