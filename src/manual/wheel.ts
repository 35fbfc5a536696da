// Packs a Python module into a wheel, the file that `pip install` takes: https://packaging.python.org/en/latest/specifications/binary-distribution-format/
import { createHash } from 'node:crypto';
import { zipSync } from 'fflate';

/** The module as the only file of a package, with the mark that its types are for type checkers. */
const packageFiles = (name: string, source: string) => ({
  [`${name}/__init__.py`]: source,
  [`${name}/py.typed`]: '',
});

const metadataOf = (
  name: string,
  version: string,
  summary: string,
): string => `Metadata-Version: 2.1
Name: ${name}
Version: ${version}
Summary: ${summary}
License: Apache-2.0
Requires-Python: >=3.10
`;

const wheelText = `Wheel-Version: 1.0
Generator: evalstore
Root-Is-Purelib: true
Tag: py3-none-any
`;

const recordLine = (path: string, content: Buffer): string =>
  `${path},sha256=${createHash('sha256').update(content).digest('base64url')},${content.length}\n`;

export interface Wheel {
  readonly filename: string;
  readonly bytes: Uint8Array;
}

/**
 * The same module always gives the same bytes.
 * @param source the text of the module, which begins with a line that sums it up
 */
export function wheelOf(name: string, version: string, source: string): Wheel {
  const summary = /^"""(.+)\n/.exec(source)?.[1] ?? name;
  const information = `${name}-${version}.dist-info`;
  const files = Object.entries({
    ...packageFiles(name, source),
    [`${information}/METADATA`]: metadataOf(name, version, summary),
    [`${information}/WHEEL`]: wheelText,
  }).map(([path, text]) => [path, Buffer.from(text)] as const);
  const record = `${information}/RECORD`;
  const lines = files.map(([path, content]) => recordLine(path, content)).join('');
  const entries = [...files, [record, Buffer.from(`${lines}${record},,\n`)] as const];
  return {
    filename: `${name}-${version}-py3-none-any.whl`,
    // The first time that a ZIP file can name, in the zone of the machine.
    bytes: zipSync(Object.fromEntries(entries), { level: 9, mtime: new Date(1980, 0, 1) }),
  };
}
