// The public experiment of the URL, which is readable without a session.
import { sessionHalf } from './session.js';

/** The URL of an object by kind and id, which is the link to share. */
const objectPath = /\/object$/;

/** Null with a session, and if the URL names no experiment. */
export function sharedExperiment(): string | null {
  const { pathname, searchParams } = new URL(window.location.href);
  const isExperiment =
    objectPath.test(pathname) && searchParams.get('object_type') === 'experiment';
  return sessionHalf() === null && isExperiment ? searchParams.get('object_id') : null;
}

/** The endpoint for queries. */
export function queryPath(): string {
  const id = sharedExperiment();
  return id === null ? '/query' : `/v1/experiment/${encodeURIComponent(id)}/query`;
}
