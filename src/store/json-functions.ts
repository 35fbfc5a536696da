// The scalar functions on JSON text that the engine lacks, run by our own code for the rows that reach them.
import { DuckDBScalarFunction, VARCHAR } from '@duckdb/node-api';
import { canonicalJson } from '../json/canonical.js';
import { extractJson, type JsonStep } from '../json/extract.js';

type TextFunction = (...texts: readonly string[]) => string | null;

/** NULL in, NULL out. */
function textFunction(name: string, arity: number, compute: TextFunction): DuckDBScalarFunction {
  return DuckDBScalarFunction.create({
    name,
    returnType: VARCHAR,
    parameterTypes: Array.from({ length: arity }, () => VARCHAR),
    mainFunction: (_info, input, output) => {
      const columns = input.getColumns() as (string | null)[][];
      for (let row = 0; row < input.rowCount; row++) {
        const values = columns.map((column) => column[row] ?? null);
        const texts = values.filter((value) => value !== null);
        output.setItem(row, texts.length === arity ? compute(...texts) : null);
      }
      output.flush();
    },
  });
}

/** `json_canonical(text)` and `json_exact(text, steps)`, where `steps` is a JSON array of keys and indexes. */
export const scalarFunctions = (): readonly DuckDBScalarFunction[] => [
  textFunction('json_canonical', 1, (text) => canonicalJson(text ?? '')),
  textFunction('json_exact', 2, (text, steps) =>
    extractJson(text ?? '', JSON.parse(steps ?? '[]') as readonly JsonStep[]),
  ),
];

/** What threads of the engine load. */
export const jsonFunctionsModule = new URL(import.meta.url);
