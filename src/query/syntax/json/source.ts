// Reads the sources of a JSON query.
import { isJsonObject } from '../../../json/tree.js';
import { shapes, sourceKinds, type QuerySource, type Shape } from '../ast.js';
import { didYouMean } from '../suggest.js';
import { calleeOf } from './call.js';
import { expressionOf } from './expression.js';
import {
  checkMembers,
  choiceOf,
  describeJson,
  elementsOf,
  fail,
  memberAt,
  placeOf,
  requiredAt,
  type JsonPart,
} from './node.js';

export const sourceExample =
  '{"op": "function", "name": {"op": "ident", "name": ["experiment"]}, "args": [{"op": "literal", "value": "<id>"}]}';

export function sourceOf(part: JsonPart): { from: readonly QuerySource[]; shape: Shape } {
  if (!isJsonObject(part.value) || memberAt(part, 'op')?.value !== 'function')
    fail(part, `expected a source, for example ${sourceExample}`);
  checkMembers(part, ['op', 'name', 'args', 'shape'], 'a source');
  const name = calleeOf(part);
  const kind =
    sourceKinds.find((candidate) => candidate === name) ??
    fail(
      requiredAt(part, 'name', ''),
      `unknown source ${describeJson(name)}${didYouMean(name, sourceKinds)}: expected one of ${sourceKinds.join(', ')}`,
    );
  const ids = elementsOf(requiredAt(part, 'args', 'an array of ids'), 'an array of ids');
  if (ids.length === 0) fail(part, 'expected at least one id in "args"');
  const shape = memberAt(part, 'shape');
  return {
    from: ids.map((id) => ({ kind, id: idOf(id), at: placeOf(id) })),
    shape: shape === null ? 'spans' : choiceOf(shape, shapes),
  };
}

function idOf(part: JsonPart): string {
  const id = expressionOf(part);
  return id.kind === 'literal' && typeof id.value === 'string'
    ? id.value
    : fail(part, 'expected an id, as {"op": "literal", "value": "<id>"}');
}
