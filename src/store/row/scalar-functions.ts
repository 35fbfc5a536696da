// SQL functions on text that DuckDB does not have. JavaScript computes them row by row in the thread of the connection.
import type { SqlFunction } from '../../duckdb/database.js';
import { DuckDBScalarFunction, VARCHAR } from '../../duckdb/driver.js';
import { canonicalJson } from '../../json/canonical.js';
import { extractJson, type JsonStep } from '../../json/extract.js';
import { typedPaths } from '../../json/paths.js';
import { patternTest, type PatternKind, type PatternTest } from '../../text/pattern.js';

type TextFunction = (...texts: readonly string[]) => string | null;

/** A function that returns NULL if any argument is NULL. */
function textFunction(name: string, arity: number, compute: TextFunction): SqlFunction {
  const scalar = DuckDBScalarFunction.create({
    name,
    returnType: VARCHAR,
    parameterTypes: Array.from({ length: arity }, () => VARCHAR),
    mainFunction: (_info, input, output) => {
      const columns = Array.from({ length: arity }, (_, index) => input.getColumnVector(index));
      for (let row = 0; row < input.rowCount; row++) {
        // Row by row: the texts of all 2,048 rows may not fit into memory.
        const values = columns.map((column) => column.getItem(row) as string | null);
        const texts = values.filter((value) => value !== null);
        output.setItem(row, texts.length === arity ? compute(...texts) : null);
      }
      output.flush();
    },
  });
  return { name, scalar };
}

/** Keeps the last test, since most patterns are constants. */
function rememberedTest(): (kind: PatternKind, pattern: string) => PatternTest {
  let last: { readonly kind: string; readonly pattern: string; readonly test: PatternTest };
  return (kind, pattern) => {
    if (last?.kind !== kind || last.pattern !== pattern)
      last = { kind, pattern, test: patternTest(kind, pattern) };
    return last.test;
  };
}

function hasPattern(): SqlFunction {
  const testOf = rememberedTest();
  return textFunction('has_pattern', 3, (text, kind, pattern) =>
    String(testOf(kind as PatternKind, pattern ?? '')(text ?? '')),
  );
}

/**
 * `json_canonical(text)`; `json_exact(text, steps)`, where `steps` is a JSON array of keys and indexes;
 * `json_paths(text, start)`: a line for each path of `typedPaths`, with tabs between name, type and value;
 * `has_pattern(text, kind, pattern)`, which is `true` or `false`, for a `PatternKind`.
 */
export const scalarFunctions = (): readonly SqlFunction[] => [
  textFunction('json_canonical', 1, (text) => canonicalJson(text ?? '')),
  textFunction('json_exact', 2, (text, steps) =>
    extractJson(text ?? '', JSON.parse(steps ?? '[]') as readonly JsonStep[]),
  ),
  textFunction('json_paths', 2, (text, start) =>
    typedPaths(text ?? '', JSON.parse(start ?? '[]') as readonly JsonStep[])
      .map(({ name, type, value }) => [name, type, value ?? ''].join('\t'))
      .join('\n'),
  ),
  hasPattern(),
];

/** The module that threads of the engine load. */
export const scalarFunctionsModule = new URL(import.meta.url);
