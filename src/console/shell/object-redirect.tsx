// Redirects URLs that SDKs print, with the kind and id of an object, to the page of the object. So do links to public experiments for members.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { go, hrefWith, nameInPath, pathOf, useHref } from '../kit/location.js';
import { Shell } from './shell.js';
import { Empty, QueryState } from '../kit/states.js';
import type { NamedObject } from '../server/objects.js';
import { readJson, Refusal } from '../server/request.js';
import { SharedLink } from './shared-link.js';

const places: Readonly<Record<string, 'experiments' | 'datasets' | 'logs'>> = {
  experiment: 'experiments',
  playground_logs: 'experiments',
  dataset: 'datasets',
  project_logs: 'logs',
};

const kinds = { experiments: 'experiment', datasets: 'dataset', logs: 'project' } as const;

/** The view and the open trace of a reader without a key, and the row that an SDK names. */
function searchOf(href: URL): string {
  const row = href.searchParams.get('id');
  const named = row === null ? {} : { oid: row };
  const changes = { object_type: null, object_id: null, id: null, ...named };
  return new URL(hrefWith(href, changes), href).search;
}

async function pathFor(organisation: string, href: URL, signal: AbortSignal): Promise<string> {
  const place = places[href.searchParams.get('object_type') ?? ''];
  if (place === undefined) throw new Error('The address names no kind of object that has a page.');
  const id = href.searchParams.get('object_id') ?? '';
  const read = <T,>(kind: string, of: string) =>
    readJson<T>(`/v1/${kind}/${encodeURIComponent(of)}`, { signal });
  const object = await read<NamedObject & { project_id?: string }>(kinds[place], id);
  const search = searchOf(href);
  if (place === 'logs') return pathOf(organisation, 'p', nameInPath(object), 'logs') + search;
  const project = await read<NamedObject>('project', object.project_id ?? '');
  return pathOf(organisation, 'p', nameInPath(project), place, nameInPath(object)) + search;
}

export function ObjectRedirect({ organisation }: { readonly organisation: string }) {
  const href = useHref();
  const found = useQuery({
    queryKey: ['object', href.search],
    queryFn: ({ signal }) => pathFor(organisation, href, signal),
  });
  useEffect(() => {
    if (found.data !== undefined) go(found.data, true);
  }, [found.data]);
  const { error } = found;
  const page = (
    <Shell organisation={organisation}>
      {error && <Empty isPage title="This object cannot be opened" />}
      <QueryState query={found} />
    </Shell>
  );
  // Members who may not read its project can read an experiment that is public.
  const isForbidden = error instanceof Refusal && error.status === 403;
  return isForbidden ? <SharedLink refused={page} /> : page;
}
