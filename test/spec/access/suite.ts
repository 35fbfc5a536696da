// Every operation as every sort of caller.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { docsOperations } from '../../../src/http/docs.js';
import { operations } from '../../../src/http/operations.js';
import { permissionTable, type Need } from '../../../src/http/permission-table.js';
import { unsupportedOperations } from '../../../src/http/sdk/unsupported.js';
import { serve, type Served } from '../../support/serve.js';
import { clientAt } from '../../support/client.js';
import { waitUntil } from '../../support/wait-until.js';
import { expected, outcomeOf, type Caller, type Request } from './outcomes.js';
import { requests } from './requests.js';
import { makeWorld, prepareOrganisations, type World } from './world.js';

export const all = [...operations, ...docsOperations, ...unsupportedOperations];

const strangerKey = 'key-of-another-organisation';

export interface Matrix {
  readonly served: () => Served;
  readonly callers: () => readonly Caller[];
  /** What is not as the table says. */
  readonly mistakes: (
    url: string,
    name: string,
    asked: readonly Caller[],
  ) => Promise<readonly string[]>;
}

/**
 * Call inside `describe`.
 * @param takes whether a caller asks for the operation with this row; `index` numbers the rows
 */
export function matrixSuite(takes: (caller: Caller, need: Need, index: number) => boolean): Matrix {
  let directory: string;
  let served: Served;
  let world: World;
  let callers: readonly Caller[];

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    await prepareOrganisations(path.join(directory, 'meta.duckdb'), strangerKey);
    served = await serve(directory, all, permissionTable);
    world = await makeWorld(served, strangerKey);
    const { keys, granted } = world;
    callers = [
      { name: 'none', key: null },
      { name: 'bad', key: 'a-key-that-nobody-has' },
      ...Object.entries(keys).map(([name, key]) => ({ name, key })),
      ...granted.map((caller) => ({
        name: [caller.way, caller.permission, caller.type].join(' '),
        key: caller.key,
        granted: caller,
      })),
    ];
    await waitUntil('the key expires', async () => {
      const options = { key: keys.expired };
      return (
        (await clientAt(served.url).request('GET', '/ping', undefined, options)).status === 401
      );
    });
  });
  after(async () => {
    await served.close();
    await rm(directory, { recursive: true, force: true });
  });

  const requestOf = async (name: string): Promise<Request> => {
    const build = requests[name];
    if (build !== undefined) return build(world);
    const [, address = ''] = name.split(' ');
    expect(permissionTable[name], `no request for ${name}`)
      .to.have.property('where')
      .that.is.oneOf(['open', 'key']);
    return { path: address.replaceAll(/:\w+/g, 'x') };
  };

  /** @returns what is not as the table says */
  async function mistakes(url: string, name: string, asked: readonly Caller[]) {
    const [method = ''] = name.split(' ');
    const need = permissionTable[name]!;
    const found: string[] = [];
    let request = await requestOf(name);
    for (const caller of asked) {
      const wanted = expected(caller, need, request);
      const { path: target, body, headers = {} } = request;
      const answer = await clientAt(url).request(method, target, body, {
        key: caller.key,
        headers,
      });
      const got = outcomeOf(need, method, request, answer);
      // What was done cannot be done again.
      if (got === 'in' && (method !== 'GET' || request.isOnce === true))
        request = await requestOf(name);
      if (got !== wanted) found.push(`${name} as ${caller.name}: ${got}, not ${wanted}`);
    }
    return found;
  }

  for (const [index, name] of Object.keys(permissionTable).entries())
    it(name, async () => {
      const asked = callers.filter((caller) => takes(caller, permissionTable[name]!, index));
      expect(await mistakes(served.url, name, asked)).to.deep.equal([]);
    });

  return { served: () => served, callers: () => callers, mistakes };
}
