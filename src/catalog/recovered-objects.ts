// Recreates objects that have rows but are missing from the catalog, with their ids.
import { randomUUID } from 'node:crypto';
import type { Writer } from '../duckdb/writer.js';
import type { ObjectKind } from '../schema/resources/definition.js';
import type { EventObject } from '../schema/event-row.js';
import { ownerOf } from './accounts.js';
import { Catalog, type ObjectDraft } from './catalog.js';
import { addOrganisation, defaultOrganisationName } from './organisations.js';

export interface RecoveredObject {
  readonly kind: ObjectKind;
  readonly id: string;
  readonly name: string;
}

/**
 * Creates the missing projects, experiments and datasets of `stored`: in the organisation of their project, else in the one that
 * their rows name, else in the first one of the catalog. If the catalog has none, it gets the organisation of the first rows.
 * Objects that the catalog lists as deleted stay deleted.
 */
export async function recoverObjects(
  writer: Writer,
  stored: readonly EventObject[],
  organisationName: string | null,
): Promise<readonly RecoveredObject[]> {
  const catalog = await Catalog.open(writer);
  const name = organisationName ?? defaultOrganisationName;
  await ensureOrganisation(catalog, stored[0]?.orgId ?? randomUUID(), name);
  const recovered: RecoveredObject[] = [];
  for (const wanted of stored.flatMap(objectsOf)) {
    if (catalog.header(wanted.id) !== undefined) continue;
    const orgId = organisationFor(catalog, wanted);
    const userId = ownerOf(catalog, orgId) ?? '';
    const draft = { ...wanted, orgId, userId, slug: null, xactId: null, fields: new Map() };
    const named = { ...draft, name: nameFor(catalog, draft) };
    await catalog.change((changes) => changes.insert(named));
    recovered.push({ kind: wanted.kind, id: wanted.id, name: named.name });
  }
  return recovered;
}

type Wanted = Required<Pick<ObjectDraft, 'id' | 'kind' | 'projectId' | 'orgId'>>;

/** The rows of a dataset without a project have the id of the dataset as their project id. */
function objectsOf({ kind, id, projectId, orgId }: EventObject): readonly Wanted[] {
  const project = { kind: 'project', id: projectId, projectId: null, orgId } as const;
  if (kind === 'dataset' && id === projectId) return [{ kind, id, projectId: null, orgId }];
  return kind === 'experiment' || kind === 'dataset'
    ? [project, { kind, id, projectId, orgId }]
    : [project];
}

function organisationFor(catalog: Catalog, { projectId, orgId }: Wanted): string {
  const project = catalog.header(projectId ?? '');
  const named = project?.orgId ?? orgId;
  const isKnown = catalog.header(named)?.kind === 'organization';
  return isKnown ? named : catalog.ofKind('organization')[0]!.id;
}

function nameFor(catalog: Catalog, draft: Wanted): string {
  const name = `recovered-${draft.id.slice(0, 8)}`;
  const isTaken = catalog.objectWithKey({ ...draft, name, slug: null }) !== undefined;
  return isTaken ? `recovered-${draft.id}` : name;
}

async function ensureOrganisation(catalog: Catalog, id: string, name: string): Promise<void> {
  const isThere = ownerOf(catalog) !== undefined && catalog.ofKind('organization').length > 0;
  if (!isThere) await addOrganisation(catalog, { id, name });
}
