// For `braintrust push`: a tool, which is code.
import { projects } from 'braintrust';
import { z } from 'zod';

projects.create({ name: 'command line' }).tools.create({
  name: 'Sum',
  slug: 'sum',
  parameters: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }: { a: number; b: number }) => a + b,
});
