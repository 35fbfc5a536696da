// Projects, experiments and the other stored objects: headers in memory, JSON texts in the database and in files. Changes run one at
// a time, and keys take turns.
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { migrate } from '../duckdb/migrate.js';
import type { Writer } from '../duckdb/writer.js';
import { invalidKey, toStorageFailed, UnknownOutcomeError } from '../errors.js';
import type { ObjectKind } from '../schema/resources/definition.js';
import { formatXactId } from '../schema/xact-id.js';
import { AccessState } from './access-state.js';
import { AuditLog, type Actor } from './audit-log.js';
import { Bodies, bodyOf, type BodiesByHeader } from './bodies.js';
import { BodyFiles, DamagedFileError } from './body-files.js';
import type { AccessObject, Grants } from './grants.js';
import { checkedNames, withFields, type ObjectFields, type ObjectHeader } from './header.js';
import { listPage, type ListSelection } from './list-page.js';
import { loadObjects } from './load.js';
import { fieldsOf, formatMicros, newObjectFields } from './object-fields.js';
import {
  emptyIndex,
  headerAsOf,
  headerAt,
  isReachable,
  putHeader,
  putVersion,
  type UniqueKey,
} from './object-index.js';
import { selectByCommit, selectByFunctionType } from './statements.js';
import { actionOf, storeWrites, type StoredWrite, type Write } from './store-writes.js';
import type { TableRow } from './table-rows.js';
import { catalogSteps } from './tables.js';
import { FairQueue } from '../fair-queue.js';

/** A new object without a time and, unless it is a recovered one, without an id. */
export interface ObjectDraft {
  readonly id?: string;
  readonly kind: ObjectKind;
  readonly orgId: string;
  readonly projectId: string | null;
  readonly userId: string;
  readonly name: string;
  readonly slug: string | null;
  /** The transaction id of the write, for versioned kinds. */
  readonly xactId: bigint | null;
  readonly fields: ObjectFields;
  /** Fields to which the server assigns other values than usual. */
  readonly set?: ObjectFields;
}

/**
 * The writes inside `Catalog.change`. Each is durable and visible when it resolves. For versioned kinds,
 * the header has the transaction id of the write, which is larger than `lastXactId`.
 */
export interface ObjectChanges {
  /**
   * Returns the JSON text of the new object.
   * @throws RequestError 400 for a name or a JSON text that is too long; so do `replace` and `all`
   */
  insert(draft: ObjectDraft): Promise<string>;
  /** Returns the JSON text of the updated object. */
  replace(header: ObjectHeader, fields: ObjectFields): Promise<string>;
  /** Returns the JSON text of the deleted object. */
  remove(header: ObjectHeader): Promise<string>;
  /** Applies all writes in one transaction. Returns the JSON texts of the objects. */
  all(writes: readonly ObjectWrite[]): Promise<readonly string[]>;
}

/** A creation, an update or a deletion. The rows `also` are part of its transaction. */
export type ObjectWrite = (
  | { readonly draft: ObjectDraft }
  | { readonly header: ObjectHeader; readonly fields: ObjectFields }
  | { readonly removed: ObjectHeader }
) & { readonly also?: readonly TableRow[] };

/** The number of writes to prepare in a turn of the event loop, for a few milliseconds. */
const writesTogether = 50;

/** Never called, since any number of changes may wait. */
const overflow = () => new Error('too many changes wait');

export class Catalog {
  readonly #writer: Writer;
  readonly #files: BodyFiles;
  readonly #bodies: Bodies;
  readonly #turns = new FairQueue({ concurrency: 1, waitingMax: Infinity });
  #index = emptyIndex();
  #access = new AccessState(new Map());
  /** The author of the running change. */
  #by: Actor | null = null;
  #lastCreated = 0n;
  #lastXactId = 0n;
  /** Whether a write may be stored that is not in memory. */
  #isUncertain = false;

  private constructor(
    writer: Writer,
    readonly audit: AuditLog,
  ) {
    this.#writer = writer;
    this.#files = new BodyFiles(writer.directory);
    this.#bodies = new Bodies(writer, this.#files);
  }

  static async open(writer: Writer): Promise<Catalog> {
    await migrate(writer, 'catalog', catalogSteps);
    const catalog = new Catalog(writer, await AuditLog.open(writer));
    await catalog.#load();
    return catalog;
  }

  async #load(): Promise<void> {
    const { index, access, lastCreated, lastXactId } = await loadObjects(
      this.#writer,
      this.#bodies,
    );
    this.#index = index;
    this.#access = access;
    this.#lastCreated = lastCreated;
    this.#lastXactId = lastXactId;
    this.#isUncertain = false;
  }

  /** The current grants. */
  get grants(): Grants {
    return this.#access.grants;
  }

  /** The fields of a live access object. */
  accessFields(id: string): AccessObject['fields'] | undefined {
    return this.#access.objects.get(id)?.fields;
  }

  /** The fields of a key; undefined if it was deleted or has expired. */
  keyFields(id: string): AccessObject['fields'] | undefined {
    return this.#access.keyFields(id);
  }

  /** Deleted ones included, oldest first. */
  ofKind(kind: ObjectKind): readonly ObjectHeader[] {
    return (this.#index.byKind.get(kind) ?? []).flatMap((id) => this.header(id) ?? []);
  }

  #putVersion(header: ObjectHeader): void {
    if (header.xactId === null) return;
    putVersion(this.#index, header);
    this.#lastXactId = header.xactId;
  }

  /** The transaction id of the latest write to an object of a versioned kind; 0 before the first. */
  get lastXactId(): bigint {
    return this.#lastXactId;
  }

  /** Deleted objects included. */
  header(id: string): ObjectHeader | undefined {
    return this.#index.byId.get(id);
  }

  isReachable(header: ObjectHeader): boolean {
    return isReachable(this.#index, header);
  }

  /** The live object with this unique key. */
  objectWithKey(key: UniqueKey): ObjectHeader | undefined {
    return headerAt(this.#index, key);
  }

  list(kind: ObjectKind, selection: ListSelection): readonly ObjectHeader[] {
    return listPage(this.#index, kind, selection);
  }

  /** The JSON text of an object. */
  body(id: string): Promise<string> {
    return this.#bodies.latest(id);
  }

  /** The JSON texts, as of the versions of the headers, in groups. Either all headers are of versioned kinds, or none. */
  bodyGroups(headers: readonly ObjectHeader[]): AsyncGenerator<BodiesByHeader> {
    return this.#bodies.groups(headers);
  }

  /** As `bodyGroups`, all together. */
  async bodies(headers: readonly ObjectHeader[]): Promise<BodiesByHeader> {
    const bodies = new Map<ObjectHeader, string>();
    for await (const group of this.bodyGroups(headers))
      for (const [header, body] of group) bodies.set(header, body);
    return bodies;
  }

  /** The object as of a transaction id; undefined before it was created. */
  headerAsOf({ id }: ObjectHeader, version: bigint): ObjectHeader | undefined {
    return headerAsOf(this.#index, id, version);
  }

  /** The ids of objects of these organisations that have this `function_type` at the version; null for the latest. */
  async idsOfFunctionType(
    orgIds: readonly string[],
    functionType: string,
    version: bigint | null,
  ): Promise<ReadonlySet<string>> {
    const rows = await this.#writer.read(selectByFunctionType(orgIds, functionType, version));
    return new Set(rows.map((row) => row['id'] as string));
  }

  /** The live experiments of the project for these commits, in the order of the commits, and newest first for each. */
  async experimentsAt(projectId: string, commits: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#writer.read(selectByCommit(projectId, commits));
    return rows.map((row) => row['id'] as string);
  }

  /** The versions of an object of a versioned kind up to `version`, oldest first, without the deletion. */
  versions(id: string, version: bigint): readonly ObjectHeader[] {
    return (this.#index.versions.get(id) ?? []).filter(
      ({ xactId, deleted }) => !deleted && xactId !== null && xactId <= version,
    );
  }

  async fields(id: string): Promise<ObjectFields> {
    return fieldsOf(await this.body(id));
  }

  /**
   * Runs checks and the resulting change while no other change can run.
   * @param by null for the server itself
   * @throws RequestError 401 if the key of the request was deleted or has expired since it was authenticated, 503 if the
   * state cannot be read again after an unknown outcome
   */
  async change<T>(
    work: (changes: ObjectChanges) => Promise<T>,
    by: Actor | null = null,
  ): Promise<T> {
    const end = await this.#turns.take(by?.keyId ?? '', overflow);
    try {
      if (this.#isUncertain)
        await this.#load().catch((error: unknown) => {
          throw toStorageFailed(error);
        });
      if (by !== null && this.keyFields(by.keyId) === undefined) throw invalidKey();
      this.#by = by;
      const one = async (write: ObjectWrite) => (await this.#writeAll([write]))[0]!;
      return await work({
        insert: (draft) => one({ draft }),
        replace: (header, fields) => one({ header, fields }),
        remove: (removed) => one({ removed }),
        all: (writes) => this.#writeAll(writes),
      });
    } finally {
      end();
    }
  }

  /** Reads after the running changes, so that all writes with earlier transaction ids are stored. */
  afterChanges<T>(read: () => T | Promise<T>): Promise<T> {
    return this.change(async () => read());
  }

  #prepared(write: ObjectWrite, bodies: BodiesByHeader): Write | Promise<Write> {
    if ('draft' in write) return this.#inserted(write.draft);
    return 'removed' in write
      ? this.#removed(write.removed, bodies)
      : replaced(write.header, write.fields);
  }

  /** The texts of the objects to remove, of kinds without versions; none if a file is lost. */
  async #bodiesToRemove(writes: readonly ObjectWrite[]): Promise<BodiesByHeader> {
    const headers = writes.flatMap((write) => ('removed' in write ? write.removed : []));
    return this.bodies(headers.filter(({ xactId }) => xactId === null)).catch((error: unknown) => {
      if (error instanceof DamagedFileError) return new Map();
      throw error;
    });
  }

  /** Strictly increasing, so that creation order survives a clock that steps back. */
  #nextCreated(): bigint {
    const now = BigInt(Date.now()) * 1000n;
    this.#lastCreated = now > this.#lastCreated ? now : this.#lastCreated + 1n;
    return this.#lastCreated;
  }

  #inserted(draft: ObjectDraft): Write {
    const bare: ObjectHeader = {
      id: draft.id ?? randomUUID(),
      kind: draft.kind,
      orgId: draft.orgId,
      projectId: draft.projectId,
      name: draft.name,
      slug: draft.slug,
      created: this.#nextCreated(),
      deleted: false,
      public: draft.fields.get('public') === true,
      publishedAt: null,
      baseExperimentId: null,
      datasetId: null,
      xactId: draft.xactId,
    };
    const fields = newObjectFields(bare, draft.userId, draft.fields, draft.set);
    const header = checkedNames(withFields(bare, fields), null);
    return { header, fields, isNew: true };
  }

  /** Sets `deleted_at`; kinds without it keep their fields. If the file of the object is lost, only the fields in its header are kept. */
  async #removed(header: ObjectHeader, bodies: BodiesByHeader): Promise<Write> {
    const body = bodies.get(header);
    const stored = body === undefined ? this.fields(header.id) : Promise.resolve(fieldsOf(body));
    const fields = await stored.catch((error: unknown) => {
      if (error instanceof DamagedFileError) return newObjectFields(header, null, new Map());
      throw error;
    });
    const now = formatMicros(BigInt(Date.now()) * 1000n);
    const left = fields.has('deleted_at') ? new Map([...fields, ['deleted_at', now]]) : fields;
    return { header: { ...header, deleted: true }, fields: left, isNew: false };
  }

  /** Stores the writes in one transaction. Returns the JSON texts of the objects. */
  async #writeAll(writes: readonly ObjectWrite[]): Promise<readonly string[]> {
    if (writes.length === 0) return [];
    const bodies = await this.#bodiesToRemove(writes);
    const stored: StoredWrite[] = [];
    for (const each of writes) {
      const write = { ...(await this.#prepared(each, bodies)), also: each.also ?? [] };
      stored.push({ ...write, body: bodyOf(write.header, write.fields) });
      if (stored.length % writesTogether === 0) await setImmediate();
    }
    const access = this.#access.with(stored);
    const by = this.#by;
    const entryOf = (write: Write) => this.audit.entry(write.header, actionOf(write), by);
    await storeWrites(this.#writer, this.#files, stored, entryOf).catch((error: unknown) => {
      this.#isUncertain ||= error instanceof UnknownOutcomeError;
      throw error;
    });
    for (const { header } of stored) {
      putHeader(this.#index, header);
      this.#putVersion(header);
    }
    this.#access = access;
    return stored.map(({ body }) => body);
  }
}

function replaced(header: ObjectHeader, fields: ObjectFields): Write {
  const { xactId } = header;
  const stamped =
    xactId === null ? fields : new Map([...fields, ['_xact_id', formatXactId(xactId)]]);
  const changed = checkedNames(withFields(header, stamped), header);
  return { header: changed, fields: stamped, isNew: false };
}
