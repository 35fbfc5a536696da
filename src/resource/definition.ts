// What the table of resources says about one kind. Data only: behaviour lives in the services.
import type { TObject } from 'typebox';
import type { FeedbackKind } from '../schema/feedback.js';
import type { EventObjectKind } from '../schema/event-row.js';

/** Kinds of stored objects. */
export type ObjectKind =
  'project' | 'experiment' | 'dataset' | 'dataset_snapshot' | 'prompt' | 'function' | 'role';

export type FilteredField =
  'name' | 'slug' | 'project_id' | 'project.name' | 'dataset_id' | 'function_type';

export interface ObjectFacet {
  readonly kind: ObjectKind;
  /** The object as it is answered; the order of its fields is kept. */
  readonly object: TObject;
  readonly create: TObject;
  /** Null: objects of this kind are neither changed nor deleted. */
  readonly patch: TObject | null;
  /** The field that at most one live object of a scope has with the same value. */
  readonly uniqueBy: 'name' | 'slug';
  /**
   * The scope. An object that may be without project is then unique among those of its organisation that
   * have none.
   */
  readonly uniqueWithin: 'organisation' | 'project' | 'dataset';
  /** Fields that hold the id of another object, or a list of ids, and its kind. */
  readonly references: Readonly<Record<string, ObjectKind>>;
  /** PUT on what exists: answers it as POST does, or gives it the fields of the body and no others. */
  readonly put: 'create' | 'replace';
  /** Every write has a transaction id, and lists show the objects as of an earlier one. */
  readonly isVersioned: boolean;
  /** The list parameters of this kind, and the field each of them is compared with. */
  readonly filters: Readonly<Record<string, FilteredField>>;
  /** Lists of this kind, and reads by id, show objects of this kind, too. */
  readonly alsoShows?: ObjectKind;
  /** Whether an object can be public: read by id without a key. */
  readonly canBePublic: boolean;
}

export interface EventFacet {
  readonly kind: EventObjectKind;
  readonly canBePublic: boolean;
}

export interface ResourceDefinition {
  /** Follows `/v1/`. */
  readonly path: string;
  readonly objects?: ObjectFacet;
  readonly events?: EventFacet;
  /** Takes comments and corrections after the fact, on its events or, of prompts, on itself. */
  readonly feedback?: FeedbackKind;
}
