// Paths below a JSON value in the syntax of the engine.

type Step = string | number;

/** Whether the syntax can express the step. The empty key and `*` require a JSON pointer. */
export const hasEnginePath = (step: Step): boolean => step !== '' && step !== '*';

export const engineStep = (step: Step): string =>
  typeof step === 'number' ? `[${step}]` : `."${step.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

export const enginePath = (steps: readonly Step[]): string => `$${steps.map(engineStep).join('')}`;
