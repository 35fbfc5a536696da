// Projects, experiments and the other stored objects: headers in memory, bodies in the database,
// one change at a time.
import { randomUUID } from 'node:crypto';
import PQueue from 'p-queue';
import { sql } from '../duckdb/sql.js';
import { migrate } from '../duckdb/migrate.js';
import type { WriteConnection, Writer } from '../duckdb/writer.js';
import type { JsonObject } from '../json/json.js';
import { parseJson } from '../json/parse.js';
import { stringifyJson } from '../json/stringify.js';
import { membersOf } from '../json/tree.js';
import type { ObjectKind } from '../resource/definition.js';
import { headerFromRow, withFields, type ObjectFields, type ObjectHeader } from './header.js';
import { listPage, type ListSelection } from './list-page.js';
import { formatMicros, newObjectFields } from './object-fields.js';
import { emptyIndex, headerAt, isReachable, putHeader, type UniquePlace } from './object-index.js';
import { catalogSteps } from './tables.js';

/** A new object before it has an id and a time. */
export interface ObjectDraft {
  readonly kind: ObjectKind;
  readonly orgId: string;
  readonly projectId: string | null;
  readonly userId: string;
  readonly name: string;
  readonly fields: ObjectFields;
}

/** What may be done inside `Catalog.change`. Each is durable and visible when it resolves. */
export interface ObjectChanges {
  /** @returns the JSON text of the new object */
  insert(draft: ObjectDraft): Promise<string>;
  /** @returns the JSON text of the object with these fields */
  replace(header: ObjectHeader, fields: ObjectFields): Promise<string>;
  /** @returns the JSON text of the deleted object */
  remove(header: ObjectHeader): Promise<string>;
}

export class Catalog {
  readonly #writer: Writer;
  readonly #index = emptyIndex();
  readonly #queue = new PQueue({ concurrency: 1 });
  #lastCreated = 0n;

  private constructor(writer: Writer) {
    this.#writer = writer;
  }

  static async open(writer: Writer): Promise<Catalog> {
    await migrate(writer, 'catalog', catalogSteps);
    const catalog = new Catalog(writer);
    await catalog.#load();
    return catalog;
  }

  async #load(): Promise<void> {
    const rows = await this.#writer.read(
      sql`SELECT * EXCLUDE (body) FROM catalog_object ORDER BY created`,
    );
    for (const header of rows.map(headerFromRow)) {
      putHeader(this.#index, header);
      this.#lastCreated = header.created;
    }
  }

  /** Deleted objects included. */
  header(id: string): ObjectHeader | undefined {
    return this.#index.byId.get(id);
  }

  isReachable(header: ObjectHeader): boolean {
    return isReachable(this.#index, header);
  }

  /** The live object that has this name in its organisation or project. */
  holder(place: UniquePlace): ObjectHeader | undefined {
    return headerAt(this.#index, place);
  }

  list(kind: ObjectKind, selection: ListSelection): readonly ObjectHeader[] {
    return listPage(this.#index, kind, selection);
  }

  /** The JSON text of an object whose header is known. */
  async body(id: string): Promise<string> {
    const rows = await this.#writer.read(sql`SELECT body FROM catalog_object WHERE id = ${id}`);
    return rows[0]?.['body'] as string;
  }

  /** JSON texts in the order of the ids. */
  async bodies(ids: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#writer.read(
      sql`SELECT id, body FROM catalog_object WHERE id IN (SELECT unnest(${ids}::VARCHAR[]))`,
    );
    const byId = new Map(rows.map((row) => [row['id'], row['body'] as string]));
    return ids.map((id) => byId.get(id)).filter((body) => body !== undefined);
  }

  async fields(id: string): Promise<ObjectFields> {
    return new Map(membersOf(parseJson(await this.body(id)) as JsonObject));
  }

  /** Runs checks and the change that follows from them while no other change can run. */
  async change<T>(work: (changes: ObjectChanges) => Promise<T>): Promise<T> {
    const result = await this.#queue.add(() =>
      work({
        insert: (draft) => this.#insert(draft),
        replace: (header, fields) => this.#replace(withFields(header, fields), fields),
        remove: (header) => this.#remove(header),
      }),
    );
    return result as T;
  }

  /** Strictly increasing, so that the order of creation survives a clock that steps back. */
  #nextCreated(): bigint {
    const now = BigInt(Date.now()) * 1000n;
    this.#lastCreated = now > this.#lastCreated ? now : this.#lastCreated + 1n;
    return this.#lastCreated;
  }

  async #insert(draft: ObjectDraft): Promise<string> {
    const bare: ObjectHeader = {
      id: randomUUID(),
      kind: draft.kind,
      orgId: draft.orgId,
      projectId: draft.projectId,
      name: draft.name,
      created: this.#nextCreated(),
      deleted: false,
      public: draft.fields.get('public') === true,
      baseExperimentId: null,
      datasetId: null,
    };
    const fields = newObjectFields(bare, draft.userId, draft.fields);
    return this.#write(withFields(bare, fields), fields, insertObject);
  }

  async #replace(header: ObjectHeader, fields: ObjectFields): Promise<string> {
    return this.#write(header, fields, updateObject);
  }

  async #remove(header: ObjectHeader): Promise<string> {
    const now = formatMicros(BigInt(Date.now()) * 1000n);
    const fields = new Map(await this.fields(header.id)).set('deleted_at', now);
    return this.#replace({ ...header, deleted: true }, fields);
  }

  async #write(
    header: ObjectHeader,
    fields: ObjectFields,
    statement: (header: ObjectHeader, body: string) => ReturnType<typeof sql>,
  ): Promise<string> {
    const body = stringifyJson(fields);
    await this.#writer.transaction(
      (connection) => connection.run(statement(header, body)),
      (connection) => hasBody(connection, header.id, body),
    );
    putHeader(this.#index, header);
    return body;
  }
}

const insertObject = (header: ObjectHeader, body: string) => sql`
  INSERT INTO catalog_object VALUES (
    ${header.id}, ${header.kind}, ${header.orgId}, ${header.projectId}, ${header.name},
    ${header.created}, ${header.deleted}, ${header.public},
    ${header.baseExperimentId}, ${header.datasetId}, ${body})`;

const updateObject = (header: ObjectHeader, body: string) => sql`
  UPDATE catalog_object
  SET name = ${header.name}, deleted = ${header.deleted}, public = ${header.public},
    base_exp_id = ${header.baseExperimentId}, dataset_id = ${header.datasetId}, body = ${body}
  WHERE id = ${header.id}`;

async function hasBody(connection: WriteConnection, id: string, body: string): Promise<boolean> {
  const rows = await connection.read(
    sql`SELECT 1 FROM catalog_object WHERE id = ${id} AND body = ${body}`,
  );
  return rows.length > 0;
}
