// The answers of the server have the members that the classes of the SDK take.
import { expect } from 'chai';
import { sharedServer } from '../../support/start-server.js';
import { runPython } from './run-python.js';

describe('classes of the SDK for Python', () => {
  const server = sharedServer();

  it('take the answers of the server', async () => {
    const { out } = await runPython(server(), {
      environment: 'braintrust',
      files: ['test/clients/python/programs/answers_fit_classes.py'],
    });
    expect(out).to.include('all answers fit');
  });
});
