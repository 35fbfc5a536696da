// The version in package.json, and the commit of the build.
import { existsSync, readFileSync } from 'node:fs';
import type { ServerVersion } from '../service/monitor/status.js';

// Three levels above dist/src/http/.
const packageFile = new URL('../../../package.json', import.meta.url);
// The build writes this file in a checkout only.
const commitFile = new URL('../../commit', import.meta.url);

const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

const readCommit = (): string | null =>
  existsSync(commitFile) ? readFileSync(commitFile, 'utf8').trim() || null : null;

export const serverVersion: ServerVersion = {
  version,
  commit: readCommit(),
};
