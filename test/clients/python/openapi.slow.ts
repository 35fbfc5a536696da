// Tools that read the OpenAPI document: requests that schemathesis draws from it, and a generated client.
import { expect } from 'chai';
import { sharedServer } from '../../support/start-server.js';
import { runPython } from './run-python.js';

const folder = 'test/clients/python/openapi';

describe('OpenAPI document in Python', () => {
  const server = sharedServer();

  it('fits what the server accepts, refuses and answers', async () => {
    const { out } = await runPython(server(), {
      environment: 'openapi',
      files: [`${folder}/schemathesis.toml`, `${folder}/checks.py`],
      command: [
        'sh',
        '-c',
        'schemathesis run "$BRAINTRUST_API_URL/openapi.json" -H "Authorization: Bearer $BRAINTRUST_API_KEY"' +
          ' --phases fuzzing --max-examples 2 --no-shrink --continue-on-failure --seed 40',
      ],
    });
    // It exits with 1 for any finding.
    expect(out).to.match(/(\d{3}) generated, \1 passed/);
  });

  it('is a client whose program stores, reads and gets the sentence of an error', async () => {
    const { out } = await runPython(server(), {
      environment: 'openapi',
      files: [`${folder}/generated_client.py`],
      // It warns of bodies that are not JSON, and leaves them out.
      before:
        'openapi-python-client generate --url "$BRAINTRUST_API_URL/openapi.json"' +
        ' --output-path generated --meta none',
    });
    expect(out.trim().split('\n')).to.deep.equal([
      "rows ['row']",
      'fetched {"answer": 42} 0.5',
      'queried [{"name": "call", "n": 1}]',
      `error 400 query line 1, column 1: expected a clause such as 'select:' or 'filter:', found 'x'`,
    ]);
  });
});
