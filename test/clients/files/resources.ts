// For `braintrust push`: a prompt, a scorer that is a prompt, and parameters.
import { projects } from 'braintrust';
import { z } from 'zod';

const project = projects.create({ name: 'command line' });

project.prompts.create({
  name: 'Answer',
  slug: 'answer',
  description: 'Answers a question',
  model: 'small',
  params: { temperature: 0.5 },
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: '{{question}}' },
  ],
  metadata: { team: 'support' },
});

project.scorers.create({
  name: 'Judge',
  slug: 'judge',
  model: 'small',
  messages: [{ role: 'user', content: 'Is {{output}} right?' }],
  useCot: true,
  choiceScores: { yes: 1, no: 0 },
});

project.parameters.create({
  name: 'Depth',
  slug: 'depth',
  schema: { depth: z.number().default(3) },
});
