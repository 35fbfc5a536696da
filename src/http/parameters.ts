// Query strings -> validated parameters.
import { Type, type TObject, type TSchema } from 'typebox';
import { badRequest } from '../errors.js';
import type { Operation, Parameters } from './operation.js';
import { describeValue } from './describe-schema.js';
import { compileValidator } from './validate.js';

type ParameterNames = Pick<Operation, 'aliases' | 'unsupported'>;

const nouns = { whole: 'query string', part: 'query parameter' };

/** Converts texts of numbers and booleans. Other texts remain for the validator to refuse. */
function coerce(schema: TSchema, text: string): unknown {
  if (Type.IsUnion(schema))
    return schema.anyOf.map((one) => coerce(one, text)).find((one) => one !== text) ?? text;
  if (Type.IsInteger(schema) && /^[+-]?\d+$/.test(text)) return Number(text);
  if (Type.IsBoolean(schema) && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Values of a list are repeated parameters, or, from generated clients, texts with commas. */
function readValues(name: string, schema: TSchema, texts: readonly string[]): unknown {
  if (Type.IsArray(schema)) return texts.flatMap((text) => text.split(','));
  if (texts.length > 1) throw badRequest(`${name}: the query parameter is given more than once`);
  return coerce(schema, texts[0] ?? '');
}

function refuse(name: string, advice: string | undefined): never {
  throw badRequest(
    advice === undefined ? `unknown query parameter ${describeValue(name)}` : `${name}: ${advice}`,
  );
}

/** The texts of each parameter. An alias counts as its parameter. Unknown parameters are refused, or ignored if the schema is open. */
function group(
  search: URLSearchParams,
  schema: TObject,
  { aliases = {}, unsupported = {} }: ParameterNames,
): ReadonlyMap<string, readonly string[]> {
  const isClosed =
    (schema as { readonly additionalProperties?: boolean }).additionalProperties === false;
  const groups = new Map<string, string[]>();
  for (const [given, text] of search) {
    const name = (Object.hasOwn(aliases, given) ? aliases[given] : undefined) ?? given;
    if (!Object.hasOwn(schema.properties, name)) {
      if (isClosed) refuse(name, Object.hasOwn(unsupported, name) ? unsupported[name] : undefined);
      continue;
    }
    const texts = groups.get(name);
    if (texts === undefined) groups.set(name, [text]);
    else texts.push(text);
  }
  return groups;
}

/**
 * Returns a function from a query string to its parameters. It throws RequestError 400 for the first parameter that is
 * unknown, repeated or invalid.
 */
export function parameterReader(
  schema: TObject,
  names: ParameterNames = {},
): (queryString: string) => Parameters {
  const validate = compileValidator(schema, nouns);
  const { required = [] } = schema as { readonly required?: readonly string[] };
  return (queryString) => {
    if (queryString === '' && required.length === 0) return {};
    const parameters: Record<string, unknown> = {};
    const texts = group(new URLSearchParams(queryString), schema, names);
    for (const [name, given] of texts)
      parameters[name] = readValues(name, schema.properties[name] as TSchema, given);
    validate(parameters);
    return parameters;
  };
}
