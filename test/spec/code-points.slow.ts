// One string with every code point, wherever it is stored, and a million strings that begin, go on and end with each.
import { expect } from 'chai';
import { limits } from '../../src/schema/limits.js';
import { createExperiment, createProject } from '../support/objects.js';
import { allCharacters, around } from '../support/odd-strings.js';
import { startServer, type ServerProcess } from '../support/start-server.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** As many as an event may have tags. */
const eventStrings = limits.texts.max;

describe('every code point', () => {
  const directory = temporaryDirectory();
  let server: ServerProcess;
  afterEach(() => server.kill());
  const start = () => startServer({ dir: directory(), tuning: {} });

  async function keeps(events: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    server = await start();
    const { id } = await createExperiment(server, (await createProject(server)).id);
    for (const event of events) {
      await server.insert(`experiment/${id}`, [event]);
    }
    const check = async () => {
      const fetched = await server.request('GET', `/v1/experiment/${id}/fetch`);
      const found = (fetched.json()['events'] as Readonly<Record<string, unknown>>[]).toReversed();
      expect(found.length).to.equal(events.length);
      for (const [index, event] of events.entries())
        for (const [field, value] of Object.entries(event))
          expect(JSON.stringify(found[index]![field]) === JSON.stringify(value)).to.equal(true);
    };
    await check();
    await server.kill();
    server = await start();
    await check();
    await server.settle();
    await check();
  }

  it('is kept in the middle of an id, a value, a key and a tag', async () => {
    const whole = allCharacters().join('');
    await keeps([{ id: whole, input: whole, metadata: { [whole]: whole }, tags: [whole] }]);
  });

  it('is kept at the beginning and the end of strings', async () => {
    const texts = allCharacters().map(around);
    const events = Array.from({ length: Math.ceil(texts.length / eventStrings) }, (_, index) => {
      const tags = texts.slice(index * eventStrings, (index + 1) * eventStrings);
      return { id: tags[0], input: tags, tags, metadata: { same: tags[0] } };
    });
    await keeps(events);
  });
});
