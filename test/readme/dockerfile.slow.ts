// The steps of the Dockerfile, performed in directories instead of images: the image serves with what its last stage copies.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);

interface Step {
  readonly instruction: string;
  readonly rest: string;
}

const steps: readonly Step[] = readFileSync('Dockerfile', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [, instruction = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    return { instruction, rest };
  });

const workdir = '/opt/evalstore';

/** Copies as `COPY` does: the last word is the target. */
async function copy(rest: string, checkout: string, stages: string, stage: string): Promise<void> {
  const [, from, words = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(rest)!;
  const sources = words.split(' ');
  const target = sources.pop()!;
  for (const source of sources) {
    const origin =
      from === undefined
        ? path.join(checkout, source)
        : path.join(stages, from, path.relative(workdir, source));
    const name = target === './' ? path.basename(source) : target;
    await cp(origin, path.join(stages, stage, name), { recursive: true });
  }
}

const last = (wanted: string): string =>
  steps.findLast(({ instruction }) => instruction === wanted)!.rest;

describe('the Dockerfile', () => {
  const directory = temporaryDirectory();

  it('makes an image that serves, with production packages alone and not as root', async () => {
    const env = { ...process.env, NODE_ENV: 'production' };
    let stage = '';
    for (const { instruction, rest } of steps) {
      const at = path.join(directory(), stage);
      if (instruction === 'FROM') {
        stage = / AS (\w+)$/.exec(rest)?.[1] ?? 'image';
        await mkdir(path.join(directory(), stage));
      } else if (instruction === 'COPY') await copy(rest, process.cwd(), directory(), stage);
      // The last stage prepares `/data` as root.
      else if (instruction === 'RUN' && stage === 'build')
        await run('sh', ['-ec', rest], { cwd: at, env, maxBuffer: 2 ** 26 });
    }
    const image = path.join(directory(), 'image');
    expect(await readdir(image)).to.have.members(['package.json', 'node_modules', 'release']);
    const packages = await readdir(path.join(image, 'node_modules'));
    expect(packages.filter((name) => !name.startsWith('.'))).to.deep.equal([
      '@duckdb',
      'detect-libc',
    ]);

    expect(last('USER')).to.equal('node');
    const [program = '', ...words] = JSON.parse(last('CMD')) as string[];
    const [, check = ''] = /CMD (\[.*\])$/.exec(last('HEALTHCHECK')) ?? [];
    const variables = Object.fromEntries(
      last('ENV')
        .split(' ')
        .map((pair) => pair.split('=')),
    ) as Record<string, string>;
    const child = spawn(program, words, {
      cwd: image,
      env: {
        ...process.env,
        ...variables,
        EVALSTORE_DATA_DIR: path.join(directory(), 'data'),
        EVALSTORE_PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const started = /^evalstore listening on http:\/\/0\.0\.0\.0:(\d+)$/m;
    while (!started.test(output)) {
      expect(child.exitCode, output).to.equal(null);
      await once(child.stdout, 'data');
    }
    const port = started.exec(output)![1]!;
    const [checker = '', ...args] = (JSON.parse(check) as string[]).map((word) =>
      word.replace('8000', port),
    );
    await run(checker, args);
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
    expect(await run(checker, args).catch(({ code }: { code: number }) => code)).to.equal(1);
  });
});
