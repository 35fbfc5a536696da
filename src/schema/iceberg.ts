// The protocol of Iceberg REST catalogs: paths, answers and errors.
import { Type } from 'typebox';
import { AnyObject, Text, component, described, exactly, recordOf } from './scalar.js';

/** Everything below it answers in the form of the protocol. */
export const catalogPath = /^\/iceberg(?:\/|$)/;

/** The table of each project. */
export const tableName = 'events';

const namespace = Type.Array(Text, { description: 'Name of a project, or its id.' });
const settings = recordOf(Text, { description: 'Empty.' });

export const CatalogConfig = component('CatalogConfig', {
  defaults: recordOf(Text, { description: 'Where the bucket is, if it is not at Amazon S3.' }),
  overrides: recordOf(Text, { description: 'Settings that clients have to use.' }),
});

export const Namespaces = component('Namespaces', {
  namespaces: Type.Array(namespace, { description: 'One for each project.' }),
});

export const Namespace = component('Namespace', {
  namespace,
  properties: described(
    exactly({ project_id: described(Text, 'Id of the project.') }),
    'What the catalog says of the namespace.',
  ),
});

export const Tables = component('Tables', {
  identifiers: Type.Array(exactly({ namespace, name: described(Text, 'Name of the table.') }), {
    description: 'One table, or none before the first events of the project are in the bucket.',
  }),
});

export const LoadedTable = component('LoadedTable', {
  'metadata-location': described(Text, 'Address of the metadata in the bucket.'),
  metadata: described(AnyObject, 'Metadata of the table, as version 2 of the format defines it.'),
  config: settings,
});

export const CatalogError = component('CatalogError', {
  error: described(
    exactly({
      message: described(Text, 'Why the request was refused, in one sentence.'),
      type: described(Text, 'Name of an exception of Iceberg.'),
      code: described(Type.Integer(), 'Status.'),
    }),
    'What went wrong.',
  ),
});

/** The names of exceptions by status. */
const exceptions: Readonly<Record<number, string>> = {
  400: 'BadRequestException',
  401: 'NotAuthorizedException',
  403: 'ForbiddenException',
  503: 'ServiceUnavailableException',
};

function exceptionOf(path: string, status: number): string {
  if (status !== 404) return exceptions[status] ?? 'RESTException';
  const [, kind = 'Namespace'] = /\/(table|view)s\//i.exec(path) ?? [];
  return `NoSuch${kind[0]!.toUpperCase()}${kind.slice(1).toLowerCase()}Exception`;
}

/** The body of an error, as JSON. */
export const catalogError = (path: string, code: number, message: string): string =>
  JSON.stringify({ error: { message, type: exceptionOf(path, code), code } });
