// The fields by which lists can be filtered: the schema of the parameter, and where an object has the value.
import type { TSchema } from 'typebox';
import { ObjectTypeName, PermissionName } from '../permission.js';
import { Text, Uuid, described } from '../scalar.js';

/** Fields of the headers of objects, which are in memory; `projectName` is the name of the project. */
export type HeaderField = 'name' | 'slug' | 'projectId' | 'projectName' | 'datasetId';

interface Filter {
  readonly schema: TSchema;
  /** A field of headers; `access`: a field of an object of access, also in memory; `body`: of the JSON text, which a query searches. */
  readonly comparedIn: HeaderField | 'access' | 'body';
}

const filter = (comparedIn: Filter['comparedIn'], schema: TSchema, text: string): Filter => ({
  schema: described(schema, text),
  comparedIn,
});

/** Ids, whose names end with `_id`, are compared in lower case. */
export const filters = {
  name: filter('name', Text, 'Only the object with exactly this name.'),
  slug: filter('slug', Text, 'Only the object with exactly this slug.'),
  project_id: filter('projectId', Uuid, 'Only objects of this project.'),
  dataset_id: filter('datasetId', Uuid, 'Only objects of this dataset.'),
  function_type: filter('body', Text, 'Only objects with exactly this function type.'),
  'project.name': filter(
    'projectName',
    Text,
    'Only objects of the project with exactly this name.',
  ),
  given_name: filter('access', Text, 'Only users with exactly this given name.'),
  family_name: filter('access', Text, 'Only users with exactly this family name.'),
  email: filter('access', Text, 'Only the user with exactly this email address.'),
  object_type: filter('access', ObjectTypeName, 'Only ACLs on objects of this type.'),
  object_id: filter('access', Uuid, 'Only ACLs on the object with this id.'),
  user_id: filter('access', Uuid, 'Only ACLs that grant something to this user.'),
  group_id: filter('access', Uuid, 'Only ACLs that grant something to this group.'),
  permission: filter('access', PermissionName, 'Only ACLs that grant this permission.'),
  restrict_object_type: filter(
    'access',
    ObjectTypeName,
    'Only ACLs restricted to this type of object.',
  ),
  role_id: filter('access', Uuid, 'Only ACLs that grant this role.'),
} as const satisfies Readonly<Record<string, Filter>>;

export type FilteredField = keyof typeof filters;

/** The values that a list request compares, by field. */
export type FilterValues = Readonly<Partial<Record<FilteredField, string>>>;
