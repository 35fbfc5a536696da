// `npm run rebuild-manifest`: rebuilds the database of a data directory that no server uses from its segments and logs.
import { recoverObjects } from './catalog/recovered-objects.js';
import { readConfig } from './config.js';
import { rebuildManifest } from './store/rebuild/rebuild-manifest.js';

const { dataDir, org, queryMemoryMb, queryThreads } = readConfig(process.env);

try {
  const lines = await rebuildManifest(
    dataDir,
    { memoryMb: queryMemoryMb, threads: queryThreads },
    async (writer, objects) => {
      const recovered = await recoverObjects(writer, objects, org);
      return recovered.map(({ kind, id, name }) => `recreated: ${kind} ${id} as ${name}`);
    },
  );
  for (const line of lines) console.log(line);
} catch (error) {
  console.error(`${dataDir}: ${(error as Error).message}`);
  process.exitCode = 1;
}
