// An object about to be created, with what decides whether an existing one is answered instead.
import type { ObjectDraft } from '../catalog/catalog.js';

export interface Draft extends ObjectDraft {
  /** The organisation or project within which the name is unique. */
  readonly scopeId: string;
  /** A taken name is made unique instead of answering the object that has it. */
  readonly isNew: boolean;
}
