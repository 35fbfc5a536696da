// Changes of an object with as many values as it may have, beside the requests of another key.
import { expect } from 'chai';
import { limits } from '../../src/schema/limits.js';
import { createProject } from '../support/objects.js';
import { sharedProcess } from '../support/start-server.js';
import { openBystander } from './bystander.js';

const members = (prefix: string, count: number): string =>
  JSON.stringify(
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, index])),
  );

describe('attack: changes of large objects', () => {
  const server = sharedProcess();

  it('leave turns to others', async () => {
    const bystander = await openBystander(server());
    const { id: project_id } = await createProject(server());
    const prompt = { project_id, name: 'p', slug: 'p' };
    const { id } = (await server().post('/v1/prompt', prompt)) as { readonly id: string };
    const max = limits.objectValues.max - 1_000;
    const bodies = [
      [400, `{"metadata": ${members('k', 90_000)}}`],
      [200, `{"metadata": ${members('k', max)}}`],
      [400, `{"metadata": ${members('m', max / 3)}}`],
      [200, `{"metadata": ${members('k', max / 3)}}`],
      [200, '{"description": "d"}'],
    ] as const;
    await bystander.beside(async () => {
      for (let round = 0; round < 5; round += 1)
        for (const [expected, body] of bodies) {
          const { status, text } = await server().request('PATCH', `/v1/prompt/${id}`, body);
          expect(status, text).to.equal(expected);
        }
    });
  });
});
