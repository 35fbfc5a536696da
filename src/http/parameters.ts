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

/** What SDKs ask for by parameters that no operation has. */
const missing: ReadonlyMap<string, string> = new Map([
  ['environment', 'there are no environments'],
]);

function refuse(name: string): never {
  const text = missing.get(name);
  throw badRequest(
    text === undefined ? `unknown query parameter ${describeValue(name)}` : `${name}: ${text}`,
  );
}

/** Texts by parameter; others are refused, or ignored where the schema is open; an alias counts as the parameter that it stands for. */
function group(
  search: URLSearchParams,
  schema: TObject,
  aliases: Readonly<Record<string, string>>,
): ReadonlyMap<string, readonly string[]> {
  const { additionalProperties } = schema as { readonly additionalProperties?: boolean };
  const isClosed = additionalProperties === false;
  const groups = new Map<string, string[]>();
  for (const [given, text] of search) {
    const name = (Object.hasOwn(aliases, given) ? aliases[given] : undefined) ?? given;
    if (!Object.hasOwn(schema.properties, name)) {
      if (isClosed) refuse(name);
      continue;
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
  return (queryString) => {
    const parameters: Record<string, unknown> = {};
    const texts = group(new URLSearchParams(queryString), schema, aliases);
    for (const [name, given] of texts)
      parameters[name] = readValues(name, schema.properties[name] as TSchema, given);
    validate(parameters);
    return parameters;
  };
}
