// node build.js <directory>: writes the files that the server serves below /docs. Run by build.sh at the root of the repository.
import { copyFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { renderPage, type ManualPage } from './page.js';
import { wheelOf } from './wheel.js';

const folder = 'src/manual';
const languageFolder = 'grammar/reference';
/** Files that are served as they are. */
const files = [
  'manual.css',
  'evalstore.py',
  ...(await readdir(`${folder}/pictures`)).map((file) => `pictures/${file}`),
];

const target = path.join(process.argv[2]!, 'manual');
const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };

/** The pages of a folder; `prefix` precedes their names. */
async function pagesIn(source: string, prefix = ''): Promise<readonly ManualPage[]> {
  const markdown = (await readdir(source)).filter((file) => file.endsWith('.md'));
  return markdown.map((file) => ({
    name: `${prefix}${path.basename(file, '.md')}`,
    source: `${source}/${file}`,
  }));
}

const pages: readonly ManualPage[] = [
  { name: 'language', source: 'grammar/README.md' },
  ...(await pagesIn(languageFolder, 'language-')),
  ...(await pagesIn(folder)),
];

const addresses = new Map([
  ...pages.map(({ name, source }) => [source, name] as const),
  ...files.map((file) => [`${folder}/${file}`, path.basename(file)] as const),
]);

await mkdir(target);
for (const file of files)
  await copyFile(path.join(folder, file), path.join(target, path.basename(file)));
for (const page of pages) {
  const html = renderPage(await readFile(page.source, 'utf8'), page, addresses);
  await writeFile(path.join(target, `${page.name}.html`), html);
}
const wheel = wheelOf('evalstore', version, await readFile(`${folder}/evalstore.py`, 'utf8'));
await writeFile(path.join(target, wheel.filename), wheel.bytes);
