// Which sources may stand side by side, and in which shapes.
import { isAuditSource, isPromptSource, type QueryAst, type QuerySource } from '../syntax/ast.js';
import { queryError } from './bind-expression.js';

function holds(source: QuerySource): 'events' | 'prompts' | 'entries of the audit log' {
  if (isPromptSource(source)) return 'prompts';
  return isAuditSource(source) ? 'entries of the audit log' : 'events';
}

/** @throws QueryError for sources of different rows side by side, and for traces of what has none */
export function checkSources({ from, shape }: QueryAst): void {
  const special = from.find((source) => holds(source) !== 'events');
  if (special === undefined) return;
  const other = from.find((source) => holds(source) !== holds(special));
  if (other !== undefined)
    throw queryError(
      other.at,
      `'${other.kind}' holds ${holds(other)} and '${special.kind}' ${holds(special)}: query them one after the other`,
    );
  if (shape !== 'spans')
    throw queryError(special.at, `'${special.kind}' has no traces: leave out the shape '${shape}'`);
}
