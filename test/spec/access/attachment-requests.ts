// Attachments of the owner of a world, and the signed addresses of their contents.
import { randomUUID } from 'node:crypto';
import { pathOf } from '../../support/attachments.js';
import type { OwnWorld } from './world.js';

/** Signed for whoever has it. */
export async function uploadPath({ make }: OwnWorld, key: string = randomUUID()): Promise<string> {
  const said = { key, filename: 'a', content_type: 'text/plain' };
  return pathOf((await make('/attachment', said))['signedUrl']!);
}

/** Of an attachment that the owner announced, and named in an event of the experiment. */
export async function namedAttachment(world: OwnWorld): Promise<string> {
  const key = randomUUID();
  await uploadPath(world, key);
  const input = { type: 'braintrust_attachment', filename: 'a', content_type: 'text/plain', key };
  const where = `/v1/experiment/${world.objects.experiment}/insert`;
  await world.ask('POST', where, { events: [{ input }] });
  return key;
}

export const namedPath = async (world: OwnWorld): Promise<string> =>
  `/v1/experiment/${world.objects.experiment}/attachment?key=${await namedAttachment(world)}`;

/** The content is JSON, so that it is read like every other answer. */
export async function downloadPath(world: OwnWorld): Promise<string> {
  const key = randomUUID();
  const upload = await uploadPath(world, key);
  await world.ask('PUT', upload, 'null');
  return pathOf(String((await world.ask('GET', `/attachment?key=${key}`)).json()['downloadUrl']));
}
