// The definition of a resource kind. It is data only; the services have the behaviour.
import type { TObject } from 'typebox';
import type { FeedbackKind } from '../feedback.js';
import type { EventObjectKind } from '../event-row.js';
import type { ObjectType } from '../permission.js';
import type { FilteredField } from './filters.js';

/** Kinds of stored objects. */
export type ObjectKind =
  | 'project'
  | 'experiment'
  | 'dataset'
  | 'dataset_snapshot'
  | 'prompt'
  | 'function'
  | 'role'
  | AccessKind;

/** Access kinds, in addition to roles. */
export type AccessKind =
  'organization' | 'user' | 'org_member' | 'group' | 'acl' | 'api_key' | 'service_token';

export type Method = 'list' | 'create' | 'put' | 'read' | 'patch' | 'delete';

export interface ResourceKind {
  readonly kind: ObjectKind;
  /** The schema of the object in answers, in field order. */
  readonly object: TObject;
  /** The schema of the stored object, if different. */
  readonly stored?: TObject;
  /** The object type of this kind in ACLs. */
  readonly type: ObjectType;
  /** The generic operations of this kind. */
  readonly methods: readonly Method[];
  readonly create: TObject;
  readonly patch: TObject;
  /** The field that is unique among live objects of a scope; null for none. */
  readonly uniqueBy: 'name' | 'slug' | null;
  /**
   * The scope. An object without a project is unique among those of its organisation without one.
   */
  readonly uniqueWithin: 'server' | 'organisation' | 'project' | 'dataset';
  /** Fields that hold ids of other objects, with their kind. */
  readonly references: Readonly<Record<string, ObjectKind>>;
  /** The effect of PUT on an existing object: return it like POST, or replace all its fields. */
  readonly put: 'create' | 'replace';
  /** Whether every write has a transaction id, so that lists can show earlier versions. */
  readonly isVersioned: boolean;
  /** The list parameters of this kind, with the field to compare. */
  readonly filters: Readonly<Record<string, FilteredField>>;
  /** The required list parameters. */
  readonly requiredFilters?: readonly string[];
  /** Lists and reads of this kind also show objects of that kind. */
  readonly alsoShows?: ObjectKind;
}

export interface ResourceDefinition {
  /** The path segment after `/v1/`. */
  readonly path: string;
  readonly objects?: ResourceKind;
  readonly events?: EventObjectKind;
  /** Whether it accepts feedback on its events or, for prompts, on itself. */
  readonly feedback?: FeedbackKind;
}
