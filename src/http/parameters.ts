// Query strings -> validated parameters.
import { Type, type TObject, type TSchema } from 'typebox';
import { badRequest } from '../errors.js';
import { describeValue } from './schema-words.js';
import { compileValidator } from './validate.js';

export type Parameters = Readonly<Record<string, unknown>>;

const place = { whole: 'query string', part: 'query parameter' };

/** What clients write for numbers and booleans becomes one; the rest stays text for the validator. */
function coerce(schema: TSchema, text: string): unknown {
  if (Type.IsInteger(schema) && /^[+-]?\d+$/.test(text)) return Number(text);
  if (Type.IsBoolean(schema) && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function readValues(name: string, schema: TSchema, texts: readonly string[]): unknown {
  if (Type.IsArray(schema)) return texts;
  if (texts.length > 1) throw badRequest(`${name}: the query parameter is given more than once`);
  return coerce(schema, texts[0] ?? '');
}

/** Texts by parameter; an alias counts as the parameter that it stands for. */
function group(
  search: URLSearchParams,
  { properties }: TObject,
  aliases: Readonly<Record<string, string>>,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const [given, text] of search) {
    const name = (Object.hasOwn(aliases, given) ? aliases[given] : undefined) ?? given;
    if (!Object.hasOwn(properties, name)) {
      throw badRequest(`unknown query parameter ${describeValue(name)}`);
    }
    const texts = groups.get(name);
    if (texts === undefined) groups.set(name, [text]);
    else texts.push(text);
  }
  return groups;
}

/**
 * @returns a function from a query string to its parameters
 * @throws RequestError 400 from that function, for the first that is unknown, repeated or not valid
 */
export function parameterReader(
  schema: TObject,
  aliases: Readonly<Record<string, string>> = {},
): (queryString: string) => Parameters {
  const validate = compileValidator(schema, place);
  const { required = [] } = schema as { readonly required?: readonly string[] };
  return (queryString) => {
    if (queryString === '' && required.length === 0) return {};
    const parameters: Record<string, unknown> = {};
    const texts = group(new URLSearchParams(queryString), schema, aliases);
    for (const [name, given] of texts)
      parameters[name] = readValues(name, schema.properties[name] as TSchema, given);
    validate(parameters);
    return parameters;
  };
}
