// URLs of projects and of the objects in them, for browsers.
import type { ObjectHeader } from '../catalog/header.js';
import type { Services } from './context.js';

/**
 * The base URL of this server without a trailing slash: the configured one, else that of the request, since behind a proxy the
 * server does not know its own.
 * @param host the header Host of the request; may be empty
 */
export function addressFor({ config, publicUrl }: Services, host: string): string {
  const address = config.publicUrl ?? (host === '' ? publicUrl : `http://${host}`);
  return address.replace(/\/+$/, '');
}

/** A segment of a path. Uses the id instead of the names `.` and `..`, which browsers resolve even if they are encoded. */
const segment = (name: string, id: string): string =>
  encodeURIComponent(/^\.\.?$/.test(name) ? id : name);

const address = (services: Services, orgId: string, ...path: readonly string[]): string =>
  [
    services.publicUrl.replace(/\/+$/, ''),
    'app',
    segment(services.accounts.organisationName(orgId), orgId),
    ...path,
  ].join('/');

const projectOf = (services: Services, { projectId }: ObjectHeader): ObjectHeader | undefined =>
  projectId === null ? undefined : services.catalog.header(projectId);

export interface ObjectUrl {
  /** Empty for an object outside of projects. */
  readonly projectName: string;
  /** The organisation, for an object outside of projects. */
  readonly projectUrl: string;
  readonly url: string;
}

/** @param collection the path segment of the kind: `experiments`, `datasets` */
export function placeOf(services: Services, header: ObjectHeader, collection: string): ObjectUrl {
  const project = projectOf(services, header);
  const path = project === undefined ? [] : ['p', segment(project.name, project.id)];
  return {
    projectName: project?.name ?? '',
    projectUrl: address(services, header.orgId, ...path),
    url: address(services, header.orgId, ...path, collection, segment(header.name, header.id)),
  };
}
