// Recreates objects that have rows but are missing from the catalog, with their ids.
import { randomUUID } from 'node:crypto';
import type { Writer } from '../duckdb/writer.js';
import type { ObjectKind } from '../resource/definition.js';
import type { EventObject } from '../schema/event-row.js';
import { ownerOf } from './accounts.js';
import { Catalog, type ObjectDraft } from './catalog.js';
import { addOrganisation } from './organisations.js';

export interface RecoveredObject {
  readonly kind: ObjectKind;
  readonly id: string;
  readonly name: string;
}

/**
 * Creates the missing projects, experiments and datasets of `stored` in the organisation of the catalog or, if that is lost, too,
 * in the one that the rows name. Objects that the catalog lists as deleted stay deleted.
 */
export async function recoverObjects(
  writer: Writer,
  stored: readonly EventObject[],
  organisationName: string,
): Promise<readonly RecoveredObject[]> {
  const catalog = await Catalog.open(writer);
  const account = await ensureAccount(catalog, stored[0]?.orgId ?? randomUUID(), organisationName);
  const recovered: RecoveredObject[] = [];
  for (const wanted of stored.flatMap(objectsOf)) {
    if (catalog.header(wanted.id) !== undefined) continue;
    const draft = { ...account, ...wanted, slug: null, xactId: null, fields: new Map() };
    const name = nameFor(catalog, draft);
    await catalog.change((changes) => changes.insert({ ...draft, name }));
    recovered.push({ kind: wanted.kind, id: wanted.id, name });
  }
  return recovered;
}

type Wanted = Required<Pick<ObjectDraft, 'id' | 'kind' | 'projectId'>>;

/** The rows of a dataset without a project have the id of the dataset as their project id. */
function objectsOf({ kind, id, projectId }: EventObject): readonly Wanted[] {
  const project = { kind: 'project', id: projectId, projectId: null } as const;
  if (kind === 'dataset' && id === projectId) return [{ kind, id, projectId: null }];
  return kind === 'experiment' || kind === 'dataset'
    ? [project, { kind, id, projectId }]
    : [project];
}

function nameFor(catalog: Catalog, draft: Wanted & Pick<ObjectDraft, 'orgId'>): string {
  const name = `recovered-${draft.id.slice(0, 8)}`;
  const isTaken = catalog.holder({ ...draft, name, slug: null }) !== undefined;
  return isTaken ? `recovered-${draft.id}` : name;
}

async function ensureAccount(
  catalog: Catalog,
  id: string,
  name: string,
): Promise<Pick<ObjectDraft, 'orgId' | 'userId'>> {
  const owner = ownerOf(catalog);
  const orgId = catalog.ofKind('organization')[0]?.id;
  return owner !== undefined && orgId !== undefined
    ? { orgId, userId: owner }
    : addOrganisation(catalog, { id, name });
}
