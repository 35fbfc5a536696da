// The server's version, as package.json has it.
import { readFileSync } from 'node:fs';

// From dist/src/http/ three levels up.
const packageFile = new URL('../../../package.json', import.meta.url);

export const serverVersion: string = (
  JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
).version;
