// The answers of the server are what the classes of the clients take.
import { expect } from 'chai';
import { sharedServer } from '../../support/start-server.js';
import { runPython, type PythonEnvironment } from './run-python.js';

const programs: readonly (readonly [PythonEnvironment, string])[] = [
  ['braintrust', 'answers_fit_classes.py'],
  ['braintrust-0.33.0', 'answers_fit_old_classes.py'],
  ['braintrust-0.0.180', 'answers_fit_old_classes.py'],
  // Of pydantic, with validation of each answer.
  ['braintrust-api', 'api_strict.py'],
];

describe('classes of clients in Python', () => {
  const server = sharedServer();

  for (const [environment, file] of programs)
    it(`take the answers of the server: ${environment}`, async () => {
      const files = [`test/clients/python/programs/${file}`] as const;
      const { out } = await runPython(server(), { environment, files });
      expect(out).to.include('all answers fit');
    });
});
