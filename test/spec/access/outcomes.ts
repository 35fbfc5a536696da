// Who gets in: worked out from the permission table and from what each caller was granted, and read from answers.
import type { Need } from '../../../src/http/permission-table.js';
import type { ObjectType, Permission } from '../../../src/schema/permission.js';
import type { Answer } from '../../support/client.js';
import { baseTypes, type GrantedCaller } from './world.js';

export interface Caller {
  readonly name: string;
  /** Null for none. */
  readonly key: string | null;
  readonly granted?: GrantedCaller;
}

export interface Request {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The type of the object that it is about. */
  readonly type?: ObjectType;
  /** Of one that needs the permission for an object of any of these types, instead of `type`. */
  readonly someOf?: readonly ObjectType[];
  /** Of an operation that leaves out what may not be used: what the answer has otherwise. */
  readonly finds?: string;
  /** Whether the object is in the project; otherwise it is in the organisation itself. */
  readonly isOutside?: boolean;
  /** What the callers by `object` have no grant on: what is to be created, or was just created. */
  readonly isNew?: boolean;
  /** It is answered once. */
  readonly isOnce?: boolean;
  /** Whether it names nothing of the organisation: a stranger does the same in another one. */
  readonly isAnywhere?: boolean;
  /** Whether it needs the permission for everything in the project. */
  readonly isWhole?: boolean;
}

export type Outcome = 'in' | 'refused' | 'unauthorised';

const projectTypes = new Set<ObjectType>([
  'project',
  'experiment',
  'dataset',
  'prompt',
  'project_log',
]);

const isChange = (permission: Permission): boolean =>
  ['create', 'update', 'delete'].includes(permission);

/** The way in which the grant was made must not matter; what it is on must. */
function isGranted(
  { way, permission, type: limit }: GrantedCaller,
  needed: Permission,
  type: ObjectType,
  { isNew = false, isOutside = false, isWhole = false }: Request,
): boolean {
  if (isWhole) return permission === needed && way !== 'object' && way !== 'restricted';
  if (needed === 'read' && (baseTypes as readonly ObjectType[]).includes(type)) return true;
  if (permission !== needed) return false;
  if (way === 'object') return !isNew && type !== 'organization' && type !== 'project';
  if (way === 'project') return !isOutside;
  return way === 'restricted' ? limit === type : true;
}

function isAllowed({ name, granted }: Caller, need: Need, request: Request): boolean {
  if (!('permission' in need)) return true;
  const { permission } = need;
  const type = request.type ?? need.types[0]!;
  if (name === 'owner') return true;
  if (name === 'stranger') return request.isAnywhere === true;
  if (type === 'organization' && permission === 'read') return true;
  if (granted !== undefined)
    return (request.someOf ?? [type]).some((each) => isGranted(granted, permission, each, request));
  if (name === 'engineer')
    return permission === 'read' || (isChange(permission) && projectTypes.has(type));
  return name === 'viewer' && permission === 'read';
}

export function expected(caller: Caller, need: Need, request: Request): Outcome {
  if (['bad', 'expired', 'revoked'].includes(caller.name)) return 'unauthorised';
  if (caller.key === null && need.where !== 'open') return 'unauthorised';
  return isAllowed(caller, need, request) ? 'in' : 'refused';
}

const refusal = /\bthat this key may use|\bthis key may not\b|\bthis key may change/;

/** @throws Error for an answer that is neither: the request is wrong */
export function outcomeOf(
  need: Need,
  method: string,
  { finds, path }: Request,
  answer: Answer,
): Outcome {
  const { status, text } = answer;
  if (status === 401) return 'unauthorised';
  if (status === 200) return finds === undefined || text.includes(finds) ? 'in' : 'refused';
  // Catalogs of tables say 404, also that there is no table without a bucket.
  if (status === 404 && path.startsWith('/iceberg/')) return refusal.test(text) ? 'refused' : 'in';
  const statuses = need.where === 'path' ? [method === 'DELETE' ? 400 : 403] : [400, 403];
  if (statuses.includes(status) && refusal.test(text)) return 'refused';
  // What is asked of an operation that names no object may be wrong, or of nothing that there is.
  if ((need.where === 'open' || need.where === 'key') && status !== 403) return 'in';
  throw new Error(`${status} ${text}`);
}
