// Copies of the built server, each with one fault planted.
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** One change of a file of the built server. */
export interface Change {
  /** Below dist/src/. */
  readonly file: string;
  /** Is there once. */
  readonly from: string;
  readonly to: string;
}

const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * A new directory with these parts of the build and everything that they need to run there. The caller removes it.
 * @param parts for example `dist/src`
 */
export async function copyBuild(parts: readonly string[]): Promise<string> {
  const build = await mkdtemp(path.join(tmpdir(), 'evalstore-faults-'));
  for (const part of ['package.json', ...parts])
    await cp(path.join(projectRoot, part), path.join(build, part), { recursive: true });
  await symlink(path.join(projectRoot, 'node_modules'), path.join(build, 'node_modules'));
  return build;
}

export const removeBuild = (build: string): Promise<void> => rm(build, { recursive: true });

/** Returns what takes the fault out again. */
export async function plant(
  build: string,
  { file, from, to }: Change,
): Promise<() => Promise<void>> {
  const target = path.join(build, 'dist/src', file);
  const text = await readFile(target, 'utf8');
  if (text.split(from).length !== 2)
    throw new Error(`${file}: expected to find ${from} once, so that a fault can be planted`);
  await writeFile(
    target,
    text.replace(from, () => to),
  );
  return () => writeFile(target, text);
}

/** Changes that have not their one place in the built server. */
export async function misplaced(changes: readonly Change[]): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const { file, from } of changes) {
    const text = await readFile(new URL(`../../src/${file}`, import.meta.url), 'utf8');
    if (text.split(from).length !== 2) lost.push(`${file} has not once: ${from}`);
  }
  return lost;
}
