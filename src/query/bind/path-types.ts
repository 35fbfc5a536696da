// The types that a request gives to paths of JSON, by the columns of files that have these paths.
import { badRequest, QueryError } from '../../errors.js';
import { someExpr, type BoundQuery } from '../bound/bound-query.js';
import type { ColumnType } from '../bound/column-type.js';
import { fieldOf, type FieldPath } from '../bound/fields.js';
import type { Expr, QueryAst, Step } from '../syntax/ast.js';
import { parseExpression } from '../syntax/parse.js';
import { fieldsOfSources } from './sources.js';

/** By `pathName`. */
export type PathTypes = ReadonlyMap<string, ColumnType>;

export const noTypes: PathTypes = new Map();

export const pathName = (field: string, steps: readonly Step[]): string =>
  JSON.stringify([field, ...steps]);

/** The types by their names in a request. */
const typeNames = {
  boolean: 'BOOLEAN',
  bigint: 'BIGINT',
  double: 'DOUBLE',
  varchar: 'VARCHAR',
  timestamp: 'TIMESTAMPTZ',
  json: 'JSON',
} as const satisfies Record<string, ColumnType>;

export type TypeName = keyof typeof typeNames;

/** @throws RequestError 400 for what is no path of JSON, or no part of a column of the query */
export const pathTypes = (
  requested: Readonly<Record<string, TypeName>>,
  ast: Pick<QueryAst, 'from' | 'shape'>,
  bound: BoundQuery,
): PathTypes =>
  new Map(
    Object.entries(requested).map(([text, type]) => {
      const [field, ...steps] = pathOf(text, ast);
      if (!reads(bound, pathName(field, steps)))
        throw badRequest(`types: no column of the query has the path ${text}`);
      return [pathName(field, steps), typeNames[type]];
    }),
  );

function pathOf(text: string, { from, shape }: Pick<QueryAst, 'from' | 'shape'>): FieldPath {
  const parsed = parsedPath(text);
  if (parsed?.kind !== 'path')
    throw badRequest(`types: ${JSON.stringify(text)} is not a path such as metadata.n`);
  const [name, ...steps] = parsed.steps;
  const fields = fieldsOfSources(from, shape);
  const field = fields.path(name) ?? fields.otherPath(name);
  if (field === null) throw badRequest(`types: ${text}: there is no field ${name}`);
  if (fieldOf(field[0])?.type !== 'json')
    throw badRequest(`types: ${text}: only paths of JSON can be given a type, and ${name} has one`);
  return [...field, ...steps];
}

function parsedPath(text: string): Expr | null {
  try {
    return parseExpression(text, 'types');
  } catch (error) {
    if (error instanceof QueryError) return null;
    throw error;
  }
}

const reads = ({ outputs }: BoundQuery, path: string): boolean =>
  outputs.some(({ expression }) =>
    someExpr(
      expression,
      (part) => part.kind === 'field' && pathName(part.field, part.steps) === path,
    ),
  );
