// Entry point. CommonJS, because libuv fixes the size of its thread pool at first use, and loading an ES module uses it. With
// the default size, four heavy queries would occupy all threads.
process.env['UV_THREADPOOL_SIZE'] ??= '32';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** Whether Node.js is a program that uses the library libnode. */
const isShared = (process.config.variables as { node_shared?: boolean }).node_shared === true;

/**
 * Why the program does not run with this Node.js; checked before any file that an older one cannot parse. In Debian's, an
 * exception in a worker thread reaches `uncaughtException` twice, and a native module then ends the process, or the thread hangs.
 */
const refusal =
  major < 20 || (major === 20 && minor < 19)
    ? `Evalstore needs Node.js 20.19 or newer, and this is ${process.versions.node}`
    : isShared
      ? 'Evalstore does not run with a Node.js that uses libnode, such as the package nodejs of Debian, where a failed thread can end the process: use a build of nodejs.org'
      : undefined;

if (refusal === undefined) void import('./cli/entry.js');
else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
