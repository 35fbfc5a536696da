// Preloaded into a server: a system without /proc, as macOS is, for the threads of the server, too.
import fs = require('node:fs');
import modules = require('node:module');

const isProc = (file: unknown): boolean => String(file).startsWith('/proc');
const missing = (file: unknown) =>
  Object.assign(new Error(`ENOENT: ${String(file)}`), { code: 'ENOENT' });

const { readlinkSync } = fs;
fs.readlinkSync = ((...call: Parameters<typeof readlinkSync>) => {
  if (isProc(call[0])) throw missing(call[0]);
  return readlinkSync(...call);
}) as typeof readlinkSync;

for (const name of ['readlink', 'readdir', 'readFile', 'open'] as const) {
  const real = fs.promises[name] as (...call: unknown[]) => Promise<unknown>;
  Object.assign(fs.promises, {
    [name]: (...call: unknown[]) =>
      isProc(call[0]) ? Promise.reject(missing(call[0])) : real(...call),
  });
}
modules.syncBuiltinESMExports();
