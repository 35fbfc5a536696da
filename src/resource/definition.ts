// What the table of resources says about one kind. Data only: behaviour lives in the services.
import type { TObject } from 'typebox';
import type { FeedbackKind } from '../schema/feedback.js';
import type { EventObjectKind } from '../schema/event-row.js';
import type { ObjectType } from '../schema/permission.js';

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

/** Kinds that say who may do what. Roles do, too. */
export type AccessKind =
  'organization' | 'user' | 'org_member' | 'group' | 'acl' | 'api_key' | 'service_token';

export type Method = 'list' | 'create' | 'put' | 'read' | 'patch' | 'delete';

export type FilteredField =
  | 'name'
  | 'slug'
  | 'project_id'
  | 'project.name'
  | 'dataset_id'
  | 'function_type'
  | 'given_name'
  | 'family_name'
  | 'email'
  | 'object_type'
  | 'object_id';

export interface ObjectFacet {
  readonly kind: ObjectKind;
  /** The object as it is answered; the order of its fields is kept. */
  readonly object: TObject;
  /** The object as it is stored, where that is not how it is answered. */
  readonly stored?: TObject;
  /** What ACLs call objects of this kind: the type that permissions are granted on. */
  readonly type: ObjectType;
  /** The operations on them that are like those of other kinds. */
  readonly methods: readonly Method[];
  readonly create: TObject;
  readonly patch: TObject;
  /** The field that at most one live object of a scope has with the same value; null for none. */
  readonly uniqueBy: 'name' | 'slug' | null;
  /**
   * The scope. An object that may be without project is then unique among those of its organisation that
   * have none.
   */
  readonly uniqueWithin: 'server' | 'organisation' | 'project' | 'dataset';
  /** Fields that hold the id of another object, or a list of ids, and its kind. */
  readonly references: Readonly<Record<string, ObjectKind>>;
  /** PUT on what exists: answers it as POST does, or gives it the fields of the body and no others. */
  readonly put: 'create' | 'replace';
  /** Every write has a transaction id, and lists show the objects as of an earlier one. */
  readonly isVersioned: boolean;
  /** The list parameters of this kind, and the field each of them is compared with. */
  readonly filters: Readonly<Record<string, FilteredField>>;
  /** Those of them that a list cannot do without. */
  readonly requiredFilters?: readonly string[];
  /** Lists of this kind, and reads by id, show objects of this kind, too. */
  readonly alsoShows?: ObjectKind;
}

export interface EventFacet {
  readonly kind: EventObjectKind;
}

export interface ResourceDefinition {
  /** Follows `/v1/`. */
  readonly path: string;
  readonly objects?: ObjectFacet;
  readonly events?: EventFacet;
  /** Takes comments and corrections after the fact, on its events or, of prompts, on itself. */
  readonly feedback?: FeedbackKind;
}
