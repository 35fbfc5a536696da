// Runs the command of this process.
import { run } from './main.js';

const exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
  terminal: process.stderr,
});
if (exitCode !== 0) process.exitCode = exitCode;
