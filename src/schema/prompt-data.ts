// What a prompt says to a model and with which options. Clients send more than is named here, and it is kept.
import { Type, type TProperties } from 'typebox';
import { FiniteNumber, Flag, Strings, Text, optional } from './scalar.js';

/** May be left out or null, and have any other fields. */
const open = (properties: TProperties) => optional(Type.Object(properties));

/** A word, or an object that names the tool or function to be called. */
const choice = optional(Type.Union([Type.String(), Type.Object({})]));

const params = open({
  use_cache: optional(Flag),
  temperature: optional(FiniteNumber),
  top_p: optional(FiniteNumber),
  frequency_penalty: optional(FiniteNumber),
  presence_penalty: optional(FiniteNumber),
  max_tokens: optional(Type.Integer()),
  n: optional(Type.Integer()),
  response_format: open({ type: optional(Text) }),
  tool_choice: choice,
  function_call: choice,
  stop: optional(Strings),
});

export const PromptData = Type.Object({
  prompt: open({ type: optional(Text), content: optional(Text) }),
  options: open({ model: optional(Text), position: optional(Text), params }),
  origin: open({
    prompt_id: optional(Text),
    project_id: optional(Text),
    prompt_version: optional(Text),
  }),
});
