// URLs of projects and of the objects in them, for browsers.
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

/** A segment of a path. Browsers resolve `.` and `..`, also when they are encoded, so that the id stands for such a name. */
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
  const path = project === undefined ? [] : ['p', segment(project.name, project.id)];
  return {
    projectName: project?.name ?? '',
    projectUrl: address(services, header.orgId, ...path),
    url: address(services, header.orgId, ...path, collection, segment(header.name, header.id)),
  };
}
