// What the server answers about the things that a client sent.
import type { TestServer } from '../support/start-server.js';

export type Json = Readonly<Record<string, unknown>>;

/** Reads from the server of a test once it runs. */
export function readerOf(server: () => TestServer) {
  const get = async (path: string) => (await server().request('GET', path)).json();

  /** `path` is that of an object, below `/v1`. */
  const eventsOf = async (path: string) =>
    (await get(`/v1/${path}/fetch`))['events'] as readonly Json[];

  const query = async (text: string) =>
    (await server().request('POST', '/query', { query: text })).json()['data'] as readonly Json[];

  return { get, eventsOf, query };
}
