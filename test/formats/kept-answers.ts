// What a data directory of a release has to show: the answers that that release gave, kept beside the data.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parseJson } from '../../src/json/parse.js';
import type { JsonValue } from '../../src/json/json.js';
import { isJsonObject, memberOf, membersOf } from '../../src/json/tree.js';
import type { TestServer } from '../support/start-server.js';

interface KeptAnswer {
  readonly method: string;
  readonly where: string;
  readonly body?: object;
  readonly text: string;
}

export interface Kept {
  /** Path of a project's logs, with the events `r1` and `r3`. */
  readonly log: string;
  /** A key that the directory has beside the one of tests. */
  readonly key: string;
  readonly answers: readonly KeptAnswer[];
}

const folder = 'test/formats';
export const archives = readdirSync(folder).filter((name) => name.endsWith('.tar.gz'));

export function unpack(archive: string, directory: string): Kept {
  execFileSync('tar', ['-xzf', path.join(folder, archive), '-C', directory]);
  return JSON.parse(readFileSync(path.join(directory, 'answers.json'), 'utf8')) as Kept;
}

/** They say what the columns of an answer are, of which there may be more now, and how fresh it is. */
const aboutAnswer = new Set([
  'schema',
  'cursor',
  'freshness',
  'freshness_state',
  'realtime_state',
  'warnings',
]);

/** What else has come since is null. */
function expectKept(now: JsonValue | undefined, then: JsonValue, where: string): void {
  if (isJsonObject(then) && isJsonObject(now ?? null)) {
    const object = now as typeof then;
    for (const [key, value] of membersOf(then))
      if (!aboutAnswer.has(key)) expectKept(memberOf(object, key), value, `${where}.${key}`);
    for (const [key, value] of membersOf(object))
      if (memberOf(then, key) === undefined && !aboutAnswer.has(key))
        expect(value, `${where}.${key}`).to.equal(null);
  } else if (Array.isArray(then) && Array.isArray(now)) {
    expect(now, where).to.have.length(then.length);
    for (const [index, value] of then.entries())
      expectKept((now as readonly JsonValue[])[index], value, `${where}[${index}]`);
  } else expect(now, where).to.deep.equal(then);
}

/** Those of `wanted` paths, or all. */
export async function expectKeptAnswers(
  server: TestServer,
  { answers }: Kept,
  wanted: (where: string) => boolean = () => true,
): Promise<void> {
  for (const { method, where, body, text } of answers) {
    if (!wanted(where)) continue;
    const now = await server.request(method, where, body);
    const place = `${where} ${JSON.stringify(body ?? '')}`;
    expect(now.status, `${place}: ${now.text}`).to.equal(200);
    expectKept(parseJson(now.text, 'now'), parseJson(text, 'kept'), place);
  }
}
