// What this server is: its version, as package.json has it, and the commit that it was built from.
import { existsSync, readFileSync } from 'node:fs';

// From dist/src/http/ three levels up.
const packageFile = new URL('../../../package.json', import.meta.url);
// Written by the build, from a checkout only.
const commitFile = new URL('../../commit', import.meta.url);

const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

const readCommit = (): string | null =>
  existsSync(commitFile) ? readFileSync(commitFile, 'utf8').trim() || null : null;

export const serverVersion: { readonly version: string; readonly commit: string | null } = {
  version,
  commit: readCommit(),
};
