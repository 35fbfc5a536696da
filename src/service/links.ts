// Addresses of projects and of what is in them, for people to open.
import type { ObjectHeader } from '../catalog/header.js';
import type { Services } from './context.js';

/**
 * Where clients reach this server: the configured address, else the one that the request was sent to, since behind a proxy the
 * server does not know its own. Without a slash at the end.
 * @param host the header Host of the request; may be empty
 */
export function addressFor({ config, publicUrl }: Services, host: string): string {
  const address = config.publicUrl ?? (host === '' ? publicUrl : `http://${host}`);
  return address.replace(/\/+$/, '');
}

const address = (services: Services, orgId: string, ...path: readonly string[]): string =>
  [
    services.publicUrl.replace(/\/+$/, ''),
    'app',
    encodeURIComponent(services.accounts.organisationName(orgId)),
    ...path.map(encodeURIComponent),
  ].join('/');

const projectOf = (services: Services, { projectId }: ObjectHeader): ObjectHeader | undefined =>
  projectId === null ? undefined : services.catalog.header(projectId);

export interface ObjectPlace {
  /** Empty for an object that is in no project. */
  readonly projectName: string;
  /** Of the organisation, for an object that is in no project. */
  readonly projectUrl: string;
  readonly url: string;
}

/** @param collection what objects of its kind are under: `experiments`, `datasets` */
export function placeOf(services: Services, header: ObjectHeader, collection: string): ObjectPlace {
  const project = projectOf(services, header);
  const path = project === undefined ? [] : ['p', project.name];
  return {
    projectName: project?.name ?? '',
    projectUrl: address(services, header.orgId, ...path),
    url: address(services, header.orgId, ...path, collection, header.name),
  };
}
