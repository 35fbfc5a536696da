// Short ways to say something about events, and to read it back.
import { expect } from 'chai';
import type { RequestOptions, TestServer } from './start-server.js';

export type Entry = Readonly<Record<string, unknown>>;

export interface FeedbackList {
  readonly comments: readonly Entry[];
  readonly audit: readonly Entry[];
}

export interface FeedbackClient {
  /** Status and text. */
  readonly post: (
    path: string,
    body: unknown,
    options?: RequestOptions,
  ) => Promise<readonly [number, string]>;
  /** The transaction id of a write that has to succeed. */
  readonly write: (path: string, body: unknown) => Promise<string>;
  readonly listed: (id: string, parameters?: string, kind?: string) => Promise<FeedbackList>;
  readonly query: (text: string, fields?: object) => Promise<readonly Entry[]>;
}

/** The states of storage in which feedback has to be the same. */
export const feedbackStorages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'as buffered rows': {},
  'in segments': { EVALSTORE_FLUSH_ROWS: '1' },
};

export const feedbackClient = (server: () => TestServer): FeedbackClient => ({
  post: async (path, body, options) => {
    const answer = await server().request('POST', path, body, options);
    return [answer.status, answer.text];
  },
  write: async (path, body) => {
    const answer = await server().request('POST', path, body);
    expect(answer.status, answer.text).to.equal(200);
    return answer.headers.get('x-evalstore-version')!;
  },
  listed: async (id, parameters = '', kind = 'experiment') =>
    (
      await server().request('GET', `/v1/${kind}/${id}/feedback${parameters}`)
    ).json() as unknown as FeedbackList,
  query: async (text, fields = {}) =>
    (await server().request('POST', '/query', { query: text, ...fields })).json()[
      'data'
    ] as readonly Entry[],
});
