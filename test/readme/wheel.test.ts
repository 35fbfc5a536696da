// The wheel as its specification has it.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { unzipSync } from 'fflate';
import { wheelOf } from '../../src/manual/wheel.js';

const source = '"""Frames of rows.\n\nMore about them.\n"""\n';

describe('a wheel', () => {
  const { filename, bytes } = wheelOf('frames', '1.2.3', source);
  const files = new Map(
    Object.entries(unzipSync(bytes)).map(([name, content]) => [name, Buffer.from(content)]),
  );
  const textOf = (name: string) => files.get(`frames-1.2.3.dist-info/${name}`)?.toString();

  it('is a package with types, for every version of Python 3', () => {
    expect(filename).to.equal('frames-1.2.3-py3-none-any.whl');
    expect([...files.keys()]).to.deep.equal([
      'frames/__init__.py',
      'frames/py.typed',
      'frames-1.2.3.dist-info/METADATA',
      'frames-1.2.3.dist-info/WHEEL',
      'frames-1.2.3.dist-info/RECORD',
    ]);
    expect(files.get('frames/__init__.py')?.toString()).to.equal(source);
    expect(textOf('METADATA')).to.include(
      'Name: frames\nVersion: 1.2.3\nSummary: Frames of rows.\n',
    );
    expect(textOf('WHEEL')).to.include('Root-Is-Purelib: true\nTag: py3-none-any\n');
  });

  it('records the size and the hash of each file', () => {
    const lines = [...files].map(([name, content]) =>
      name.endsWith('/RECORD')
        ? `${name},,\n`
        : `${name},sha256=${createHash('sha256').update(content).digest('base64url')},${content.length}\n`,
    );
    expect(textOf('RECORD')).to.equal(lines.join(''));
  });

  it('has the same bytes whenever and wherever it is built', () => {
    const zone = process.env['TZ'];
    try {
      process.env['TZ'] = 'Pacific/Auckland';
      expect(wheelOf('frames', '1.2.3', source).bytes).to.deep.equal(bytes);
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });
});
