// What every use case is given: the opened parts of the server, and who asks.
import type { Logger } from 'pino';
import type { Accounts, Principal } from '../catalog/accounts.js';
import type { AttachmentRecords } from '../catalog/attachments.js';
import type { Catalog } from '../catalog/catalog.js';
import type { Config } from '../config.js';
import type { Permission } from '../schema/permission.js';
import type { AttachmentFiles, EventStore } from '../store/event-store.js';

export type { Accounts, Principal };

/** Files that events refer to. */
export interface Attachments {
  readonly records: AttachmentRecords;
  readonly files: AttachmentFiles;
}

export interface Services {
  readonly config: Config;
  readonly accounts: Accounts;
  readonly catalog: Catalog;
  readonly store: EventStore;
  readonly attachments: Attachments;
  /** What page cursors are authenticated with; never shown. */
  readonly cursorSecret: Uint8Array;
  readonly log: Logger;
  /** What links begin with: the configured address, else the one that the server listens on. */
  readonly publicUrl: string;
}

/** Takes so many bytes of the memory for request bodies. Errors: 503 when there are not as many. */
export type Hold = (bytes: number) => void;

/** A request without a key. */
export interface Anonymous {
  readonly kind: 'anonymous';
}

/** What belongs to a request: what its operation needs of the objects that it is about, as the permission table says. */
interface Needs {
  readonly permission: Permission;
  /** Of the request, for the log and the audit log. */
  readonly requestId: string;
}

export type KeyCaller = Principal & Needs;

export type Caller = KeyCaller | (Anonymous & Needs);

/** Whose turn it is where reads wait for each other: those of one key are those of one client. */
export const clientOf = (caller: Caller): string => (caller.kind === 'key' ? caller.keyId : '');
