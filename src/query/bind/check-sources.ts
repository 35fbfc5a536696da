// Checks which sources a query may combine, and in which shapes.
import { isAuditSource, isPromptSource, type QueryAst, type QuerySource } from '../syntax/ast.js';
import { QueryError } from '../../errors.js';

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
