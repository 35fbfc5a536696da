// Users' programs in Python, unmodified, with the published libraries: what the server has stored after each.
import { expect } from 'chai';
import { sharedServer, type Json } from '../../support/start-server.js';
import { runPython } from './run-python.js';

describe('programs in Python', () => {
  const server = sharedServer();

  it('trace', async () => {
    await runPython(server(), {
      environment: 'braintrust',
      files: ['test/clients/python/programs/logger_traced.py'],
    });
    const projects = await server().get('/v1/project?project_name=support-bot');
    const [project] = projects['objects'] as readonly Json[];
    const rows = await server().events(`project_logs/${String(project!['id'])}`);
    const root = rows.find((row) => row['is_root'] === true)!;
    expect(root).to.deep.include({ scores: { helpful: 1 }, tags: ['web'] });
  });
});
