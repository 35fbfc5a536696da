// What the SDK can ask for and the server does not have.
import {
  LocalTrace,
  _internalGetGlobalState,
  initDataset,
  initLogger,
  invoke,
  loadPrompt,
  projects,
  registerSandbox,
} from 'braintrust';
import { z } from 'zod';
import { report } from './report.mjs';

const logger = initLogger({ projectName: 'unbuilt' });
const { id: objectId } = await logger.project;
const place = { projectName: 'unbuilt', slug: 'answer' };

const asked = {
  run: () => invoke({ ...place, input: {} }),
  thread: () =>
    new LocalTrace({
      objectType: 'project_logs',
      objectId,
      rootSpanId: 'none',
      state: _internalGetGlobalState(),
    }).getThread(),
  sandbox: () =>
    registerSandbox({
      name: 'tests',
      project: 'unbuilt',
      sandbox: { provider: 'modal', snapshotRef: 'none' },
      entrypoints: ['a.eval.ts'],
    }),
  prompt: () => loadPrompt({ ...place, environment: 'production' }),
  dataset: () =>
    initDataset({ project: 'unbuilt', dataset: 'd', environment: 'production' }).fetchedData(),
  publish: async () => {
    const project = projects.create({ name: 'unbuilt' });
    const messages = [{ role: 'user', content: 'Hello' }];
    const environments = ['production'];
    project.prompts.create({ name: 'A', slug: 'a', model: 'm', messages, environments });
    await project.publish();
  },
  tool: async () => {
    const project = projects.create({ name: 'unbuilt' });
    const tool = project.tools.create({
      name: 'Search',
      slug: 'search',
      parameters: z.object({ text: z.string() }),
      handler: ({ text }) => text,
    });
    const messages = [{ role: 'user', content: 'Hello' }];
    project.prompts.create({ name: 'A', slug: 'a', model: 'm', messages, tools: [tool] });
    await project.publish();
  },
};

const told = {};
for (const [name, ask] of Object.entries(asked))
  told[name] = await ask().then(
    () => 'nothing',
    ({ message }) => message,
  );
report({ told });
