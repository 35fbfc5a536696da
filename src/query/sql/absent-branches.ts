// Omits branches in which no row can pass the filter, because they lack the paths that it tests.
import type { EventBranch, EventRelation } from '../../schema/event-relation.js';
import type { BoundExpr } from '../bound/bound-query.js';
import { fields } from '../bound/fields.js';
import { storageOf } from '../value/leaf-form.js';
import type { Plan } from './plan.js';

/** The truth value that an expression has in all rows of a branch. `notTrue` is false or null. */
type Outcome = 'null' | 'true' | 'notTrue' | 'unknown';

export function withoutAbsent({ shape, filter }: Plan, relation: EventRelation): EventRelation {
  if (filter === null || shape !== 'spans') return relation;
  const branches = relation.branches.filter((branch) => !isNever(outcome(filter, branch)));
  return branches.length === relation.branches.length ? relation : { ...relation, branches };
}

const isNever = (found: Outcome): boolean => found === 'null' || found === 'notTrue';

function outcome(expression: BoundExpr, branch: EventBranch): Outcome {
  const of = (child: BoundExpr) => outcome(child, branch);
  switch (expression.kind) {
    case 'field': {
      const field = fields[expression.field];
      if (field === undefined) return 'unknown';
      return storageOf(branch, field, expression.steps) === 'absent' ? 'null' : 'unknown';
    }
    case 'isNull':
      return of(expression.operand) === 'null' ? 'true' : 'unknown';
    case 'in':
      // Nothing is in an empty list, null neither.
      if (expression.list.length === 0) return 'notTrue';
      return of(expression.operand) === 'null' ? 'null' : 'unknown';
    case 'unary':
      return negated(of(expression.operand));
    case 'binary':
      return combined(expression.operator, of(expression.left), of(expression.right));
    default:
      return 'unknown';
  }
}

function negated(found: Outcome): Outcome {
  if (found === 'null') return 'null';
  return found === 'true' ? 'notTrue' : 'unknown';
}

/** Operators other than the logical ones and `<=>` are null if an operand is. */
function combined(operator: string, left: Outcome, right: Outcome): Outcome {
  const [leftNever, rightNever] = [isNever(left), isNever(right)];
  if (operator === 'and') return leftNever || rightNever ? 'notTrue' : 'unknown';
  if (operator === 'or') return leftNever && rightNever ? 'notTrue' : 'unknown';
  if (operator === '<=>') return left === 'null' && right === 'null' ? 'true' : 'unknown';
  return left === 'null' || right === 'null' ? 'null' : 'unknown';
}
