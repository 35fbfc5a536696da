// What a prompt says to a model and with which options. Clients send more than is named here, and it is kept.
import { Type, type TProperties } from 'typebox';
import { FiniteNumber, Flag, Strings, Text, optional } from './scalar.js';

/** May be left out or null, and have any other fields. */
const open = (properties: TProperties, description: string) =>
  optional(Type.Object(properties), description);

const choice = (what: string) =>
  optional(
    Type.Union([Type.String(), Type.Object({})]),
    `A word, or an object that names ${what}.`,
  );

const params = open(
  {
    use_cache: optional(Flag, 'Whether answers may come from a cache.'),
    temperature: optional(FiniteNumber, 'Sampling temperature.'),
    top_p: optional(FiniteNumber, 'Probability mass that is sampled from.'),
    frequency_penalty: optional(FiniteNumber, 'Penalty for frequent tokens.'),
    presence_penalty: optional(FiniteNumber, 'Penalty for tokens that occurred.'),
    max_tokens: optional(Type.Integer(), 'Most tokens to generate.'),
    n: optional(Type.Integer(), 'Number of completions.'),
    response_format: open(
      { type: optional(Text, 'Type of the answer, for example `json_object`.') },
      'Format of the answer.',
    ),
    tool_choice: choice('the tool to call'),
    function_call: choice('the function to call'),
    stop: optional(Strings, 'Texts that end the generation.'),
  },
  'Parameters of the model.',
);

export const PromptData = Type.Object(
  {
    prompt: open(
      {
        type: optional(Text, 'Type of the prompt, for example `completion`.'),
        content: optional(Text, 'Text of the prompt.'),
      },
      'What is said to the model.',
    ),
    options: open(
      {
        model: optional(Text, 'Name of the model.'),
        position: optional(Text, 'Place among other prompts.'),
        params,
      },
      'Which model, and how it is used.',
    ),
    origin: open(
      {
        prompt_id: optional(Text, 'Prompt that it was made from.'),
        project_id: optional(Text, 'Project of that prompt.'),
        prompt_version: optional(Text, 'Version of that prompt.'),
      },
      'Where it comes from.',
    ),
  },
  { title: 'PromptData' },
);
