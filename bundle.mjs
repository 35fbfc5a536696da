// Bundles the compiled server into `<dist>/server`: a start then reads a few files instead of about a thousand. Modules that
// threads load by URL are entries, too. All entries share chunks, so a thread has one instance of each module.
import { existsSync } from 'node:fs';
import { copyFile, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

const dist = await realpath(process.argv[2] ?? 'dist');
const source = path.join(dist, 'src');
const target = path.join(dist, 'server');

const entries = [
  'cli/main.js',
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

await build({
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
  // A native module.
  external: ['@duckdb/node-api'],
  plugins: [moduleUrls],
  banner: { js: banner },
  logLevel: 'warning',
});
await copyFile(path.join(source, 'evalstore.cjs'), path.join(target, 'evalstore.cjs'));
