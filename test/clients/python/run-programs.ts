// The tests of a table of programs.
import { expect } from 'chai';
import { sharedServer } from '../../support/start-server.js';
import { sharedModel } from './model-server.js';
import { runPython, type PythonEnvironment } from './run-python.js';
import { expectStored, type Program } from './stored.js';

const printedJson = (out: string): readonly unknown[] =>
  out
    .split('\n')
    .filter((line) => /^[[{"]/.test(line))
    .map((line): unknown => JSON.parse(line));

const folder = 'test/clients/python/programs';

/** One test for each program and environment; the programs of an environment have one server. */
export function describePrograms(title: string, programs: readonly Program[]): void {
  describe(title, () => {
    const model = sharedModel();
    const environments = new Set(programs.flatMap(({ environments }) => environments));
    for (const environment of environments)
      describe(environment, () => describeEnvironment(environment, programs, model));
  });
}

function describeEnvironment(
  environment: PythonEnvironment,
  programs: readonly Program[],
  model: () => Readonly<Record<string, string>>,
): void {
  const server = sharedServer();
  for (const program of programs)
    if (program.environments.includes(environment))
      it(program.file, async () => {
        const { file, command, code, printed, stored } = program;
        const { out, errors } = await runPython(server(), {
          environment,
          files: [`${folder}/${file}`],
          variables: { ...model(), ...program.variables },
          ...(command && { command }),
          ...(code !== undefined && { code }),
        });
        if (printed) expect(printedJson(out), out + errors).to.deep.equal(printed);
        try {
          for (const expected of stored) await expectStored(server(), expected);
        } catch (error) {
          (error as Error).message += `\n${out}${errors}`;
          throw error;
        }
      });
}
