// Projects, experiments and the other stored objects: headers in memory, JSON texts in the database and in files. Changes run one at a time.
import { randomUUID } from 'node:crypto';
import PQueue from 'p-queue';
import type { Sql } from '../duckdb/sql.js';
import { migrate } from '../duckdb/migrate.js';
import type { Writer } from '../duckdb/writer.js';
import { invalidKey, toStorageFailed, UnknownOutcomeError } from '../errors.js';
import type { JsonObject } from '../json/json.js';
import { parseJson } from '../json/parse.js';
import { membersOf } from '../json/tree.js';
import type { ObjectKind } from '../resource/definition.js';
import { formatXactId } from '../schema/xact-id.js';
import { AccessState } from './access-state.js';
import { AuditLog, type Actor, type AuditAction } from './audit-log.js';
import { Bodies, bodyOf, type BodiesByHeader } from './bodies.js';
import { BodyFiles, DamagedFileError } from './body-files.js';
import type { AccessObject, Grants } from './grants.js';
import { checkedNames, withFields, type ObjectFields, type ObjectHeader } from './header.js';
import { listPage, type ListSelection } from './list-page.js';
import { loadObjects } from './load.js';
import { formatMicros, newObjectFields } from './object-fields.js';
import {
  emptyIndex,
  headerAsOf,
  headerAt,
  isReachable,
  putHeader,
  putVersion,
  type UniqueKey,
} from './object-index.js';
import { insertObject, selectByCommit, selectByFunctionType, updateObject } from './statements.js';
import { storeWrites, type Write } from './store-writes.js';
import { catalogSteps } from './tables.js';

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

/** A creation, an update or a deletion. The statements `also` are part of its transaction. */
export type ObjectWrite = (
  | { readonly draft: ObjectDraft }
  | { readonly header: ObjectHeader; readonly fields: ObjectFields }
  | { readonly removed: ObjectHeader }
) & { readonly also?: readonly Sql[] };

export class Catalog {
  readonly #writer: Writer;
  readonly #files: BodyFiles;
  readonly #bodies: Bodies;
  readonly #queue = new PQueue({ concurrency: 1 });
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
  holder(key: UniqueKey): ObjectHeader | undefined {
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
    return new Map(membersOf(parseJson(await this.body(id)) as JsonObject));
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
    const result = await this.#queue.add(async () => {
      if (this.#isUncertain)
        await this.#load().catch((error: unknown) => {
          throw toStorageFailed(error);
        });
      if (by !== null && this.keyFields(by.keyId) === undefined) throw invalidKey();
      this.#by = by;
      return work({
        insert: (draft) => this.#writeOne(this.#inserted(draft)),
        replace: (header, fields) => this.#writeOne(replaced(header, fields)),
        remove: async (header) => this.#writeOne(await this.#removed(header)),
        all: async (writes) => {
          const prepared: Write[] = [];
          for (const write of writes)
            prepared.push({ ...(await this.#prepared(write)), also: write.also ?? [] });
          return this.#write(prepared);
        },
      });
    });
    return result as T;
  }

  /** Reads after the running changes, so that all writes with earlier transaction ids are stored. */
  afterChanges<T>(read: () => T | Promise<T>): Promise<T> {
    return this.change(async () => read());
  }

  #prepared(write: ObjectWrite): Write | Promise<Write> {
    if ('draft' in write) return this.#inserted(write.draft);
    return 'removed' in write ? this.#removed(write.removed) : replaced(write.header, write.fields);
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
    return { header, fields, statement: insertObject };
  }

  /** Sets `deleted_at`; kinds without it keep their fields. If the file of the object is lost, only the fields in its header are kept. */
  async #removed(header: ObjectHeader): Promise<Write> {
    const fields = await this.fields(header.id).catch((error: unknown) => {
      if (error instanceof DamagedFileError) return newObjectFields(header, null, new Map());
      throw error;
    });
    const now = formatMicros(BigInt(Date.now()) * 1000n);
    const left = fields.has('deleted_at') ? new Map([...fields, ['deleted_at', now]]) : fields;
    return { header: { ...header, deleted: true }, fields: left, statement: updateObject };
  }

  async #writeOne(write: Write): Promise<string> {
    return (await this.#write([write]))[0]!;
  }

  /** Stores the writes in one transaction. Returns the JSON texts of the objects. */
  async #write(writes: readonly Write[]): Promise<readonly string[]> {
    const stored = writes.map((write) => ({ ...write, body: bodyOf(write.header, write.fields) }));
    if (stored.length === 0) return [];
    const access = this.#access.with(stored);
    const by = this.#by;
    const entryOf = ({ header, statement }: Write) =>
      this.audit.entry(header, actionOf(header, statement), by);
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

function actionOf({ deleted }: ObjectHeader, statement: Write['statement']): AuditAction {
  if (deleted) return 'delete';
  return statement === insertObject ? 'create' : 'update';
}

function replaced(header: ObjectHeader, fields: ObjectFields): Write {
  const { xactId } = header;
  const stamped =
    xactId === null ? fields : new Map([...fields, ['_xact_id', formatXactId(xactId)]]);
  const changed = checkedNames(withFields(header, stamped), header);
  return { header: changed, fields: stamped, statement: updateObject };
}
