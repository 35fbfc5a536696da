// Which sources may stand side by side, and in which shapes.
import { isPromptSource, type QueryAst } from '../syntax/ast.js';
import { queryError } from './bind-expression.js';

/** @throws QueryError for prompts beside events, and for traces of prompts */
export function checkSources({ from, shape }: QueryAst): void {
  const prompts = from.find(isPromptSource);
  if (prompts === undefined) return;
  const events = from.find((source) => !isPromptSource(source));
  if (events !== undefined)
    throw queryError(
      events.at,
      `'${events.kind}' holds events and '${prompts.kind}' prompts: query them one after the other`,
    );
  if (shape !== 'spans')
    throw queryError(prompts.at, `'${prompts.kind}' has no traces: leave out the shape '${shape}'`);
}
