// The examples of the language reference: queries with the rows, warnings or error that they are answered with.
import type { TestServer } from '../support/start-server.js';

interface Example {
  readonly query: string;
  /** Fields of the body beside `query`. */
  readonly options: string;
  readonly output: string;
}

const examplePattern = /```query(.*)\n([\s\S]*?)```\n\n```output\n([\s\S]*?)```/g;

export const examplesOf = (reference: string): readonly Example[] =>
  [...reference.matchAll(examplePattern)].map(([, options = '', query = '', output = '']) => ({
    query,
    options: options.trim(),
    output,
  }));

/** `NAME=value` as the sessions print them: what `$NAME` stands for in an example. */
export const variablesOf = (outputs: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    outputs.flatMap((output) =>
      [...output.matchAll(/^([A-Z]+)="?([^"\s]+)/gm)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    ),
  );

const filled = (text: string, variables: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\$([A-Z]+)/g, (_, name: string) => variables.get(name) ?? `$${name}`);

/** A row a line, then the warnings; or the error. */
function printed(text: string): string {
  const { data, warnings = [] } = JSON.parse(text) as {
    readonly data: readonly unknown[];
    readonly warnings?: readonly string[];
  };
  return [
    ...data.map((row) => JSON.stringify(row)),
    ...warnings.map((warning) => `warning: ${warning}`),
  ].join('\n');
}

export async function runExamples(
  examples: readonly Example[],
  server: TestServer,
  variables: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const outputs: string[] = [];
  for (const { query, options } of examples) {
    const body = {
      query: filled(query, variables),
      ...(JSON.parse(filled(options || '{}', variables)) as object),
    };
    const { status, text } = await server.request('POST', '/query', body);
    outputs.push(`${status === 200 ? printed(text) : text.trim()}\n`);
  }
  return outputs;
}

/** The reference with these outputs. */
export function withExamples(reference: string, outputs: readonly string[]): string {
  let next = 0;
  return reference.replaceAll(
    examplePattern,
    (_, options: string, query: string) =>
      `\`\`\`query${options}\n${query}\`\`\`\n\n\`\`\`output\n${outputs[next++]}\`\`\``,
  );
}
