// Schemas of the content and options of a prompt. Unknown fields of clients are stored.
import { Type, type TProperties } from 'typebox';
import { FiniteNumber, Flag, Strings, Text, optional } from './scalar.js';

/** An optional, nullable object with any other fields. */
const open = (properties: TProperties, description: string) =>
  optional(Type.Object(properties), description);

const choice = (what: string) =>
  optional(
    Type.Union([Type.String(), Type.Object({})]),
    `A keyword, or an object that names ${what}.`,
  );

const params = open(
  {
    use_cache: optional(Flag, 'Whether completions may come from a cache.'),
    temperature: optional(FiniteNumber, 'Sampling temperature.'),
    top_p: optional(FiniteNumber, 'Probability mass for nucleus sampling.'),
    frequency_penalty: optional(FiniteNumber, 'Penalty for frequent tokens.'),
    presence_penalty: optional(FiniteNumber, 'Penalty for tokens that already occurred.'),
    max_tokens: optional(Type.Integer(), 'Maximum number of tokens to generate.'),
    n: optional(Type.Integer(), 'Number of completions.'),
    response_format: open(
      { type: optional(Text, 'Type of the completion, for example `json_object`.') },
      'Format of the answer.',
    ),
    tool_choice: choice('the tool to call'),
    function_call: choice('the function to call'),
    stop: optional(Strings, 'Stop sequences.'),
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
      'Content of the prompt.',
    ),
    options: open(
      {
        model: optional(Text, 'Name of the model.'),
        position: optional(Text, 'Position among other prompts.'),
        params,
      },
      'Model and its parameters.',
    ),
    origin: open(
      {
        prompt_id: optional(Text, 'Prompt from which it was derived.'),
        project_id: optional(Text, 'Project of that prompt.'),
        prompt_version: optional(Text, 'Version of that prompt.'),
      },
      'Origin of the prompt.',
    ),
  },
  { title: 'PromptData' },
);
