// `npm run check-data`: verifies the data directory and changes nothing.
import { readConfig } from './config.js';
import { checkStore } from './store/check/check-store.js';

const { dataDir } = readConfig(process.env);

try {
  const problems = await checkStore(dataDir);
  for (const problem of problems) console.log(problem);
  console.log(problems.length === 0 ? `${dataDir}: no problems` : `${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} catch (error) {
  console.error(`${dataDir}: ${(error as Error).message}`);
  process.exitCode = 2;
}
