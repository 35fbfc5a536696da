// The Chromium that the tests use: Debian's where it is installed, else the one that the package @sparticuz/chromium carries with its
// libraries and fonts, so that `npm test` needs nothing but npm.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { LaunchOptions } from 'playwright-core';

const installed = '/usr/bin/chromium';

const unpacked = path.resolve('node_modules/.cache/chromium');

/** The package unpacks into the directory for temporary files, its libraries only where its own variable names such a system. */
const unpack = (directory: string) =>
  promisify(execFile)(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      "import chromium from '@sparticuz/chromium'; await chromium.executablePath();",
    ],
    { env: { ...process.env, TMPDIR: directory, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' } },
  );

const fontSettings = 'fonts.conf';

/** Those of the package name directories below /tmp. Without any font, the browser ends at the first text field. */
const fontSettingsText = `<?xml version="1.0"?>
<fontconfig><dir>${path.join(unpacked, 'fonts')}</dir><cachedir>${path.join(unpacked, 'fonts-cache')}</cachedir></fontconfig>
`;

/** Of several processes that unpack at once, the first one keeps its files. */
async function unpackOnce(): Promise<void> {
  if (existsSync(unpacked)) return;
  await mkdir(path.dirname(unpacked), { recursive: true });
  const directory = await mkdtemp(`${unpacked}-`);
  try {
    await unpack(directory);
    await writeFile(path.join(directory, fontSettings), fontSettingsText);
    await rename(directory, unpacked);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    if (!existsSync(unpacked)) throw error;
  }
}

export async function launchOptions(): Promise<LaunchOptions> {
  if (existsSync(installed)) return { executablePath: installed, args: ['--no-sandbox'] };
  await unpackOnce();
  return {
    executablePath: path.join(unpacked, 'chromium'),
    args: ['--no-sandbox'],
    env: {
      ...(process.env as Record<string, string>),
      LD_LIBRARY_PATH: path.join(unpacked, 'al2023/lib'),
      FONTCONFIG_FILE: path.join(unpacked, fontSettings),
    },
  };
}
