// `evalstore repair`: makes the database of a data directory that no server uses from its segments and logs.
import { recoverObjects } from '../catalog/recovered-objects.js';
import type { Config } from '../config.js';
import { rebuildManifest } from '../store/rebuild/rebuild-manifest.js';
import type { Context } from './context.js';

/** @throws Error if the directory cannot be repaired */
export async function repairDirectory(
  { dataDir, org, queryMemoryMb, queryThreads }: Config,
  { print }: Context,
): Promise<void> {
  const lines = await rebuildManifest(
    dataDir,
    { memoryMb: queryMemoryMb, threads: queryThreads },
    async (writer, objects) => {
      const recovered = await recoverObjects(writer, objects, org);
      return recovered.map(({ kind, id, name }) => `recreated: ${kind} ${id} as ${name}`);
    },
  );
  for (const line of lines) print(line);
}
