// Where the programs of the clusters are. EVALSTORE_TEST_CLUSTER names the folder that keeps them between runs.
import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const clusterFile = (name: string) =>
  fileURLToPath(new URL(`../../../test/cluster/${name}`, import.meta.url));

const folder =
  process.env['EVALSTORE_TEST_CLUSTER'] ??
  path.join(
    process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'),
    'evalstore',
    'cluster',
  );

/** The folder, with all programs in it. */
export function clusterPrograms(): string {
  execFileSync('sh', [clusterFile('fetch.sh'), folder], { stdio: 'inherit' });
  return folder;
}
