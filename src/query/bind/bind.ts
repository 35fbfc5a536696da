// Binds an AST: resolves names, substitutes aliases and checks aggregates.
import { QueryError } from '../../errors.js';
import {
  columnName,
  type Expr,
  type ExpressionItem,
  type LiteralValue,
  type Position,
  type QueryAst,
  type SelectItem,
  type SortItem,
} from '../syntax/ast.js';
import { bindExpression, type NameScope } from './bind-expression.js';
import { bindFilter } from './bind-filter.js';
import { bindUnpivots, type BoundUnpivots, type RowNames } from './bind-unpivot.js';
import {
  hasAggregate,
  someExpr,
  type BoundExpr,
  type BoundOutput,
  type BoundQuery,
  type BoundSort,
} from '../bound/bound-query.js';
import { checkPivot, pivotColumns, type Columns } from './pivot.js';
import { countedRepetition, type Repetition } from './repetition.js';
import { checkSources, fieldsOfSources } from './sources.js';
import { typeWarnings } from './type-warnings.js';
import { didYouMean } from '../syntax/suggest.js';

/**
 * @param values the values of the last dimension that `pivot` turns into columns
 * @throws QueryError for unknown functions, misplaced aggregates, duplicate and unknown aliases
 */
export function bindQuery(ast: QueryAst, values: readonly LiteralValue[] = []): BoundQuery {
  checkSources(ast);
  const warnings = new Set<string>();
  const { unpivots, memberNames, names } = bindUnpivots(
    ast.unpivot,
    fieldsOfSources(ast.from, ast.shape),
    warnings,
  );
  const bound = bindColumns(ast, { names, memberNames });
  checkPivot(ast, bound);
  const isSelect = ast.select !== null;
  const isGrouped =
    !isSelect ||
    ast.groupBy !== null ||
    bound.measures.some(({ expression }) => hasAggregate(expression));
  const repetition = countedRepetition();
  const { dimensions, measures } = pivotColumns(ast.pivot, bound, values, repetition);
  const outputs = [...dimensions, ...measures];
  const alias = aliasIn(outputs, repetition);
  const numbered = numberedColumns(ast, outputs, repetition);
  const keys = Array.from(new Set(ast.groupBy), (key) => bindKey(key, numbered, alias, names));
  const pivoted = ast.pivot.map(({ name }) => name);
  const result = { outputs, alias, isGrouped, names, bound, pivoted };
  const query = {
    isSelect,
    isGrouped,
    dimensions: [...dimensions.map(({ expression }) => expression), ...keys],
    outputs,
    unpivots,
    ...bindFilter(ast, aliasIn([...bound.dimensions, ...outputs], repetition), names),
    finalFilter: bindFinalFilter(ast.finalFilter, result),
    sort: withoutRepeats(ast.sort, numbered.nodes)
      .map((item) => ({
        descending: item.descending,
        expression: numbered.column(item.expression, item.at) ?? bindSort(item, result),
      }))
      .filter(differsByRow),
    sample: ast.sample,
    limit: ast.limit,
    pivoted,
    shape: ast.shape,
    previewLength: ast.previewLength,
  };
  return { ...query, warnings: [...new Set([...warnings, ...typeWarnings(query)])] };
}

/** Treats selected expressions as measures. */
function bindColumns(
  ast: QueryAst,
  { names, memberNames }: Pick<BoundUnpivots, 'names' | 'memberNames'>,
): Columns {
  const dimensions = bindItems(ast.dimensions, names, 'is not allowed in dimensions');
  const items = ast.select === null ? ast.measures : selectItems(ast.select, names, memberNames);
  const measures = bindItems(items, names, null);
  if (ast.select === null) checkMeasures(ast.measures, measures);
  checkNames([...ast.dimensions, ...items], [...dimensions, ...measures]);
  return { dimensions, measures };
}

/** Expands `*` to the fields that a fetch of the sources returns and the names of `unpivot`. */
function selectItems(
  items: readonly SelectItem[],
  { fields }: RowNames,
  memberNames: readonly string[],
): readonly ExpressionItem[] {
  return items.flatMap((item) =>
    item.kind === 'expression'
      ? [item]
      : [...fields.star.filter((name) => !item.without?.has(name)), ...memberNames].map(
          (name): ExpressionItem => ({
            kind: 'expression',
            expression: { kind: 'path', steps: [name], at: item.at },
            alias: null,
            text: name,
            at: item.at,
          }),
        ),
  );
}

function bindItems(
  items: readonly ExpressionItem[],
  names: RowNames,
  noAggregates: string | null,
): readonly BoundOutput[] {
  const scope: NameScope = {
    ...names,
    alias: () => null,
    aliasesFirst: false,
    noAggregates,
  };
  return items.map((item) => ({
    name: nameOf(item),
    expression: bindExpression(item.expression, scope),
  }));
}

const nameOf = ({ alias, expression, text }: ExpressionItem): string =>
  alias ?? columnName(expression, text);

function checkMeasures(items: readonly ExpressionItem[], bound: readonly BoundOutput[]): void {
  bound.forEach(({ expression }, index) => {
    const item = items[index];
    if (item !== undefined && !hasAggregate(expression)) {
      throw new QueryError(
        item.at,
        `measure '${item.text}' has no aggregate, for example avg(${item.text})`,
      );
    }
  });
}

function checkNames(items: readonly ExpressionItem[], outputs: readonly BoundOutput[]): void {
  const seen = new Set<string>();
  outputs.forEach(({ name }, index) => {
    const item = items[index];
    if (seen.has(name) && item !== undefined) {
      throw new QueryError(item.at, `two columns are named '${name}': name one of them with 'as'`);
    }
    seen.add(name);
  });
}

/** The first output of each name. */
function aliasIn(outputs: readonly BoundOutput[], repetition: Repetition): NameScope['alias'] {
  const byName = new Map(
    outputs.toReversed().map(({ name, expression }) => [name, expression] as const),
  );
  return (name, at) => {
    const expression = byName.get(name) ?? null;
    if (expression !== null) repetition.add(expression, at);
    return expression;
  };
}

/** In SQL, a number in GROUP BY or ORDER BY stands for the node of a column. */
interface NumberedColumns {
  readonly nodes: ReadonlySet<Expr>;
  /** The column of the node; undefined for other nodes. */
  readonly column: (node: Expr, at: Position) => BoundExpr | undefined;
}

function numberedColumns(
  ast: QueryAst,
  outputs: readonly BoundOutput[],
  repetition: Repetition,
): NumberedColumns {
  const columns = new Map<Expr, BoundExpr>();
  const byName = new Map(outputs.map((output) => [output.name, output]));
  for (const item of [...(ast.select ?? []), ...ast.dimensions]) {
    if (item.kind === 'star') continue;
    const output = byName.get(nameOf(item));
    if (output !== undefined) columns.set(item.expression, output.expression);
  }
  return {
    nodes: new Set(columns.keys()),
    column: (node, at) => {
      const expression = columns.get(node);
      if (expression !== undefined) repetition.add(expression, at);
      return expression;
    },
  };
}

/** A group key beside `select` may be the name of a column. */
function bindKey(
  key: Expr,
  { column }: NumberedColumns,
  alias: NameScope['alias'],
  names: RowNames,
): BoundExpr {
  const noAggregates = "is not allowed in 'GROUP BY'";
  const bound =
    column(key, key.at) ??
    bindExpression(key, { ...names, alias, aliasesFirst: false, noAggregates });
  if (hasAggregate(bound)) throw new QueryError(key.at, `an aggregate ${noAggregates}`);
  return bound;
}

/** The names that expressions over the result can refer to. */
interface ResultNames {
  readonly outputs: readonly BoundOutput[];
  readonly alias: NameScope['alias'];
  readonly isGrouped: boolean;
  readonly names: RowNames;
  /** The columns before `pivot`. */
  readonly bound: Columns;
  readonly pivoted: readonly string[];
}

function bindFinalFilter(filter: Expr | null, result: ResultNames): BoundExpr | null {
  if (filter === null) return null;
  if (!result.isGrouped) {
    throw new QueryError(
      filter.at,
      "'final_filter' selects groups, and the query has none: use 'filter' (WHERE in SQL)",
    );
  }
  return bindExpression(filter, {
    ...result.names,
    alias: result.alias,
    aliasesFirst: true,
    noAggregates: null,
    unknown: (name, at) =>
      pivotedColumn('final_filter', name, at, result) ?? result.names.unknown(name, at),
  });
}

/** Whether the sort key depends on the row. The engine rejects constants as sort keys. */
const differsByRow = ({ expression }: BoundSort): boolean =>
  someExpr(expression, ({ kind }) => varying.has(kind));

const varying: ReadonlySet<BoundExpr['kind']> = new Set(['field', 'member', 'aggregate']);

/** Without the paths, aliases and numbers of columns that occur again, which change no order. */
function withoutRepeats(
  items: readonly SortItem[],
  columns: ReadonlySet<Expr>,
): readonly SortItem[] {
  const seen = new Set<Expr | string>();
  return items.filter(({ expression }) => {
    const isName = expression.kind === 'path' && !columns.has(expression);
    const key = isName ? JSON.stringify(expression.steps) : expression;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function bindSort(item: SortItem, result: ResultNames): BoundExpr {
  const { outputs, alias, isGrouped } = result;
  return bindExpression(item.expression, {
    ...result.names,
    alias,
    aliasesFirst: isGrouped,
    noAggregates: isGrouped ? null : "is not allowed in 'sort' of a query without aggregates",
    unknown: (name, at) => {
      const column = pivotedColumn('sort', name, at, result);
      if (column !== null) return column;
      const known = outputs.map((output) => output.name);
      throw new QueryError(at, `sort: unknown alias '${name}'${didYouMean(name, known)}`);
    },
  });
}

/** NULL for a column that `pivot` would make of a value that no row has. */
function pivotedColumn(
  clause: string,
  name: string,
  at: Position,
  { bound, pivoted }: ResultNames,
): BoundExpr | null {
  if ([...bound.dimensions, ...bound.measures].some((column) => column.name === name)) {
    throw new QueryError(at, `${clause}: 'pivot' creates several columns for '${name}'`);
  }
  const isOf = (measure: string) => name.endsWith(`_${measure}`);
  return pivoted.some(isOf) ? { kind: 'literal', value: null } : null;
}
