// The sources of a query: which ones it may combine, and the field names of their rows.
import {
  isAuditSource,
  isPromptSource,
  type QueryAst,
  type QuerySource,
  type Shape,
} from '../syntax/ast.js';
import { QueryError } from '../../errors.js';
import { auditFields, auditPath, auditTexts } from '../catalog/audit-log.js';
import { promptFields, promptPath, promptTexts } from '../catalog/prompts.js';
import { fieldNames, fieldOf, type FieldPath } from '../bound/fields.js';
import { starFields } from './star.js';

function holds(source: QuerySource): 'events' | 'prompts' | 'entries of the audit log' {
  if (isPromptSource(source)) return 'prompts';
  return isAuditSource(source) ? 'entries of the audit log' : 'events';
}

/** @throws QueryError for sources with different kinds of rows, or a shape of traces over rows without traces */
export function checkSources({ from, shape }: QueryAst): void {
  const special = from.find((source) => holds(source) !== 'events');
  if (special === undefined) return;
  const other = from.find((source) => holds(source) !== holds(special));
  if (other !== undefined)
    throw new QueryError(
      other.at,
      `'${other.kind}' holds ${holds(other)} and '${special.kind}' ${holds(special)}: query them one after the other`,
    );
  if (shape === 'spans') return;
  const lacks = shape === 'versions' ? 'events' : 'traces';
  throw new QueryError(
    special.at,
    `'${special.kind}' has no ${lacks}: leave out the shape '${shape}'`,
  );
}

export interface RowFields {
  readonly names: readonly string[];
  /** The fields that `*` selects. */
  readonly star: readonly string[];
  /** The paths that `search` looks into. */
  readonly searched: readonly FieldPath[];
  /** The JSON fields that `preview_length` cuts, if they are not all. */
  readonly cut?: ReadonlySet<string>;
  /** The path of the field; null if no field has the name. */
  path(name: string): FieldPath | null;
  /** The path of a name that is neither a field nor an alias; null if it has none. */
  otherPath(name: string): FieldPath | null;
}

const spanName: FieldPath = ['span_attributes', 'name'];

/** The fields of the catalog that can be long. */
const longFields: ReadonlySet<string> = new Set([
  'description',
  'prompt_data',
  'metadata',
  'function_data',
]);

const fieldsInOrder = (
  names: readonly string[],
  texts: readonly string[],
  path: RowFields['path'],
): RowFields => ({
  names,
  star: names,
  searched: texts.map(path).filter((found) => found !== null),
  cut: longFields,
  path,
  otherPath: () => null,
});

export function fieldsOfSources(sources: readonly QuerySource[], shape: Shape): RowFields {
  if (sources.some(isPromptSource)) return fieldsInOrder(promptFields, promptTexts, promptPath);
  if (sources.some(isAuditSource)) return fieldsInOrder(auditFields, auditTexts, auditPath);
  return {
    names: fieldNames,
    star: starFields(sources, shape),
    searched: [['input'], ['output'], ['expected'], ['metadata']],
    path: (name) => (fieldOf(name) === null ? null : [name]),
    otherPath: (name) => (name === 'name' ? spanName : null),
  };
}
