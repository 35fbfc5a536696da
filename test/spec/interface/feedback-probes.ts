// Fields of feedback, and the parameters with which it is read.
import { expect } from 'chai';
import {
  create,
  eventObject,
  idOf,
  insert,
  newProject,
  probesOf,
  rowsOf,
  send,
  unique,
  type Client,
  type Json,
  type Probe,
  type Run,
} from './probe.js';

/** An object with an event `e`; for prompts the prompt is both. */
interface Subject {
  readonly client: Client;
  readonly kind: string;
  readonly objectId: string;
  readonly eventId: string;
}

async function subject(client: Client, kind: string): Promise<Subject> {
  if (kind === 'prompt') {
    const project_id = await newProject(client);
    const id = idOf(await create(client, 'prompt', { project_id, slug: unique('slug') }));
    return { client, kind, objectId: id, eventId: id };
  }
  const objectId = await eventObject(client, kind);
  await insert(client, kind, objectId, { id: 'e' }, { id: 'f' });
  return { client, kind, objectId, eventId: 'e' };
}

const give = ({ client, kind, objectId, eventId }: Subject, item: Json): Promise<Json> =>
  send(
    client,
    `POST /v1/${kind}/{id}/feedback`,
    { feedback: [{ id: eventId, ...item }] },
    objectId,
  );

interface Given {
  readonly comments: readonly Json[];
  readonly audit: readonly Json[];
}

const given = async (
  { client, kind, objectId }: Subject,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Given> => {
  const search = new URLSearchParams(parameters).toString();
  const path = `GET /v1/${kind}/{id}/feedback?${search}`;
  return (await send(client, path, undefined, objectId)) as unknown as Given;
};

async function rowOf({ client, kind, objectId, eventId }: Subject): Promise<Json> {
  if (kind === 'prompt') return send(client, 'GET /v1/prompt/{id}', undefined, objectId);
  const rows = await rowsOf(client, kind, objectId);
  return rows.find(({ id }) => id === eventId)!;
}

type Trial = (subject: Subject) => Promise<void>;

/** Beside each field goes a comment: an item with nothing to say is refused. */
const recordTrials: Readonly<Record<string, Trial>> = {
  id: async (about) => {
    await give(about, { comment: 'c' });
    expect((await given(about)).comments[0]?.['event_id']).to.equal(about.eventId);
  },
  comment: async (about) => {
    await give(about, { comment: 'well said', tags: ['t'] });
    expect((await given(about)).comments[0]?.['comment']).to.equal('well said');
  },
  metadata: async (about) => {
    await give(about, { comment: 'c', metadata: { by: 'hand' } });
    expect((await given(about)).audit[0]?.['metadata']).to.deep.equal({ by: 'hand' });
  },
  source: async (about) => {
    await give(about, { comment: 'c', source: 'app' });
    expect((await given(about)).audit[0]?.['source']).to.equal('app');
  },
  tags: async (about) => {
    await give(about, { comment: 'c', tags: ['seen'] });
    expect((await rowOf(about))['tags']).to.deep.equal(['seen']);
  },
};

const spanTrials: Readonly<Record<string, Trial>> = {
  ...recordTrials,
  scores: async (about) => {
    await give(about, { comment: 'c', scores: { human: 0.5 } });
    expect((await rowOf(about))['scores']).to.deep.equal({ human: 0.5 });
  },
  expected: async (about) => {
    await give(about, { comment: 'c', expected: 'this' });
    expect((await rowOf(about))['expected']).to.equal('this');
  },
};

const about =
  (kind: string, trial: Trial): Run =>
  async (client) =>
    trial(await subject(client, kind));

const fieldProbes = (kind: string, trials: Readonly<Record<string, Trial>>): readonly Probe[] => {
  const runs = Object.entries(trials).map(([name, trial]) => [
    `feedback[].${name}`,
    about(kind, trial),
  ]);
  return probesOf(`POST /v1/${kind}/{id}/feedback`, 'body', {
    feedback: about(kind, recordTrials['comment']!),
    ...(Object.fromEntries(runs) as Readonly<Record<string, Run>>),
  });
};

const parameterProbes = (kind: string): readonly Probe[] =>
  probesOf(`GET /v1/${kind}/{id}/feedback`, 'query', {
    event_id: about(kind, async (said) => {
      await give(said, { comment: 'c' });
      expect((await given(said, { event_id: 'another' })).comments).to.deep.equal([]);
    }),
    version: about(kind, async (said) => {
      await give(said, { comment: 'first' });
      const [{ _xact_id: version } = {}] = (await given(said)).comments;
      await give(said, { comment: 'second' });
      const then = await given(said, { version: version as string });
      expect(then.comments.map(({ comment }) => comment)).to.deep.equal(['first']);
    }),
  });

export const feedbackProbes: readonly Probe[] = [
  ...fieldProbes('project_logs', spanTrials),
  ...fieldProbes('experiment', spanTrials),
  ...fieldProbes('dataset', recordTrials),
  ...fieldProbes('prompt', recordTrials),
  ...['project_logs', 'experiment', 'dataset', 'prompt'].flatMap(parameterProbes),
];
