// Fields of purges.
import { expect } from 'chai';
import { endOfJob } from '../../support/jobs.js';
import {
  eventObject,
  idOf,
  insert,
  probesOf,
  rowsOf,
  send,
  type Client,
  type Json,
  type Probe,
} from './probe.js';

/** Of two events, the purge removes the first. */
async function removesFirst(client: Client, kind: string, body: Json): Promise<void> {
  const object = await eventObject(client, kind);
  await insert(client, kind, object, { id: 'a', input: 'first' }, { id: 'b', input: 'second' });
  const job = await send(client, `POST /v1/${kind}/{id}/purge`, body, object);
  expect((await endOfJob(client, idOf(job))).state).to.equal('done');
  expect((await rowsOf(client, kind, object)).map(({ id }) => id)).to.deep.equal(['b']);
}

export const removalProbes: readonly Probe[] = ['project_logs', 'experiment', 'dataset'].flatMap(
  (kind) =>
    probesOf(`POST /v1/${kind}/{id}/purge`, 'body', {
      ids: (client) => removesFirst(client, kind, { ids: ['a'] }),
      filter: (client) => removesFirst(client, kind, { filter: "input = 'first'" }),
    }),
);
