// The public experiment of the URL, which is readable without a session, and without permission to read its project.

/** The URL of an object by kind and id, which is the link to share. */
const objectPath = /\/object$/;

/** Null if the URL names no experiment. Users who may read its project are redirected to its page. */
export function sharedExperiment(): string | null {
  const { pathname, searchParams } = new URL(window.location.href);
  const isExperiment =
    objectPath.test(pathname) && searchParams.get('object_type') === 'experiment';
  return isExperiment ? searchParams.get('object_id') : null;
}

/** The endpoint for queries. */
export function queryPath(): string {
  const id = sharedExperiment();
  return id === null ? '/query' : `/v1/experiment/${encodeURIComponent(id)}/query`;
}
