// Entry point. CommonJS, because libuv fixes the size of its thread pool at first use, and loading an ES module uses it. With
// the default size, four heavy queries would occupy all threads.
process.env['UV_THREADPOOL_SIZE'] ??= '32';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** Why the server does not run with this Node.js; checked before any file that an older one cannot parse. */
const refusal =
  major < 20 || (major === 20 && minor < 19)
    ? `Evalstore needs Node.js 20.19 or newer, and this is ${process.versions.node}`
    : undefined;

if (refusal === undefined) void import('./main.js');
else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
