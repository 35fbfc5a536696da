// Texts that would read or write files outside of the data directory, in every field, parameter and header of every operation.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { operations } from '../../../src/http/operations.js';
import { nameOf, permissionTable } from '../../../src/http/permission-table.js';
import { serve, type Served } from '../../support/serve.js';
import { clientAt, testKey, type Json } from '../../support/client.js';
import { requests } from './requests.js';
import { all } from './suite.js';
import { makeWorld, prepareOrganisations, type World } from './world.js';

/** The body with one string in it replaced, for each of them, and with each field of its schema. */
function* bodiesWith(body: unknown, names: readonly string[], text: string): Generator {
  const fields = (body ?? {}) as Json;
  for (const name of names) yield { ...fields, [name]: text };
  const source = JSON.stringify(fields);
  const strings = [...source.matchAll(/"(?:[^"\\]|\\.)*"(?!:)/g)];
  for (const { index, 0: found } of strings)
    yield source.slice(0, index) + JSON.stringify(text) + source.slice(index + found.length);
}

describe('files outside of the data directory', function () {
  this.timeout(600_000);
  let directory: string;
  let outside: string;
  let served: Served;
  let world: World;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    outside = path.join(await mkdtemp(path.join(tmpdir(), 'outside-')), 'written');
    await prepareOrganisations(path.join(directory, 'meta.duckdb'), 'key-of-another-organisation');
    served = await serve(directory, all, permissionTable);
    world = await makeWorld(served, 'key-of-another-organisation');
  });
  after(async () => {
    await served.close();
    await rm(directory, { recursive: true, force: true });
    await rm(path.dirname(outside), { recursive: true, force: true });
  });

  const texts = () => [
    '/etc/passwd',
    '../../../../etc/passwd',
    "' || (SELECT content FROM read_text('/etc/passwd')) || '",
    `'); COPY (SELECT 1) TO '${outside}'; --`,
    `"; ATTACH '${outside}'; INSTALL httpfs; SET enable_external_access = true; --`,
    `select: id | from: experiment('${outside}') | filter: id = '${outside}'`,
    `SELECT * FROM read_text('/etc/passwd')`,
    `COPY (SELECT 1) TO '${outside}'`,
  ];

  for (const operation of operations)
    it(`are out of reach of ${nameOf(operation)}`, async () => {
      const build = requests[nameOf(operation)];
      if (build === undefined) return;
      const request = await build(world);
      const secret = (await readFile('/etc/passwd', 'utf8')).split('\n')[0]!;
      const method = operation.method.toUpperCase();
      const send = async (
        target: string,
        body: unknown,
        headers: Readonly<Record<string, string>>,
      ) => {
        const answer = await clientAt(served.url).request(method, target, body, {
          key: testKey,
          headers,
        });
        expect(answer.status, `${target} ${JSON.stringify(body)} ${answer.text}`).to.be.below(500);
        expect(answer.text).not.to.include(secret);
      };
      const shown =
        operation.body !== undefined && 'schema' in operation.body
          ? operation.body.schema
          : undefined;
      const { path: target, body, headers = {} } = request;
      for (const text of texts()) {
        for (const name of Object.keys(operation.query.properties)) {
          const search = new URLSearchParams({ [name]: text });
          await send(
            `${target}${target.includes('?') ? '&' : '?'}${search.toString()}`,
            body,
            headers,
          );
        }
        if (operation.path.includes(':id'))
          await send(operation.path.replace(':id', encodeURIComponent(text)), body, headers);
        if (operation.requestHeaders !== undefined)
          await send(target, body, { ...headers, 'x-bt-parent': `project_name:${text}` });
        if (operation.body !== undefined)
          for (const changed of bodiesWith(body, Object.keys(shown?.properties ?? {}), text))
            await send(target, changed, headers);
      }
      expect(existsSync(outside)).to.equal(false);
    });
});
