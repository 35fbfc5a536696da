// Short ways to say something about events, and to read it back.
import { outcome, type Json, type RequestOptions, type TestServer } from './start-server.js';

export interface FeedbackList {
  readonly comments: readonly Json[];
  readonly audit: readonly Json[];
}

/** The states of storage in which feedback has to be the same. */
export const feedbackStorages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'as buffered rows': {},
  'in segments': { EVALSTORE_FLUSH_ROWS: '1' },
};

export const feedbackClient = (server: () => TestServer) => ({
  post: (path: string, body: unknown, options?: RequestOptions) =>
    outcome(server().request('POST', path, body, options)),
  write: (path: string, body: unknown) => server().write(path, body),
  listed: async (id: string, parameters = '', kind = 'experiment') =>
    (await server().get(`/v1/${kind}/${id}/feedback${parameters}`)) as unknown as FeedbackList,
});
