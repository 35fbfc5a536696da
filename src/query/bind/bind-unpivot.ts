// Binds `unpivot`, which adds names to those of the fields.
import type { Position, UnpivotItem } from '../syntax/ast.js';
import { QueryError } from '../../errors.js';
import { bindExpression, unknownField, type NameScope } from './bind-expression.js';
import type { BoundExpr, BoundUnpivot, MemberExpr } from '../bound/bound-query.js';
import type { RowFields } from './sources.js';

/** The names that rows have, and the list of warnings. */
export type RowNames = Pick<NameScope, 'fields' | 'member' | 'unknown' | 'noSpans'>;

export interface BoundUnpivots {
  readonly unpivots: readonly BoundUnpivot[];
  readonly memberNames: readonly string[];
  readonly names: RowNames;
}

/** @throws QueryError for a name that is taken */
export function bindUnpivots(
  items: readonly UnpivotItem[],
  fields: RowFields,
  warnings: Set<string>,
): BoundUnpivots {
  const members = new Map<string, Omit<MemberExpr, 'at'>>();
  const names = rowNames(members, fields, warnings);
  const add = (member: Omit<MemberExpr, 'at'>, at: Position) =>
    addMember(members, member, fields, at);
  const unpivots = items.map((item, index): BoundUnpivot => {
    const expression = bindExpression(item.expression, {
      ...names,
      alias: () => null,
      aliasesFirst: false,
      noAggregates: "is not allowed in 'unpivot'",
    });
    if (item.key !== null) {
      add({ kind: 'member', index, part: 'key', name: item.key }, item.at);
    }
    add({ kind: 'member', index, part: 'value', name: item.value }, item.at);
    return { expression, of: item.key === null ? 'array' : 'object' };
  });
  return { unpivots, memberNames: [...members.keys()], names };
}

const rowNames = (
  members: ReadonlyMap<string, Omit<MemberExpr, 'at'>>,
  fields: RowFields,
  warnings: Set<string>,
): RowNames => ({
  fields,
  noSpans: "is allowed only in the filter of the shapes 'traces' and 'summary'",
  member: (name: string, at: Position): BoundExpr | null => {
    const found = members.get(name);
    return found === undefined ? null : { ...found, at };
  },
  unknown: (name) => unknownField(name, [...fields.names, ...members.keys()], warnings),
});

function addMember(
  members: Map<string, Omit<MemberExpr, 'at'>>,
  member: Omit<MemberExpr, 'at'>,
  fields: RowFields,
  at: Position,
): void {
  const { name } = member;
  if (fields.path(name) !== null) {
    throw new QueryError(at, `unpivot: '${name}' is the name of a field: choose another name`);
  }
  if (members.has(name)) throw new QueryError(at, `unpivot: '${name}' occurs twice`);
  members.set(name, member);
}
