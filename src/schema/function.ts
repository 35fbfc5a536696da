// Schemas of functions, and of the bodies that create and update them.
import { Type } from 'typebox';
import {
  description,
  functionType,
  id,
  metadata,
  orgId,
  orgName,
  promptData,
  promptFields,
  promptName,
  promptProjectId,
  tags,
} from './object.js';
import {
  AnyObject,
  Name,
  Text,
  Timestamp,
  Uuid,
  component,
  described,
  omittable,
  optional,
} from './scalar.js';

const functionProjectId = described(Uuid, promptProjectId);
const functionSlugText = 'Unique identifier of the function within its project.';
const functionSlug = described(Name, functionSlugText);
const FunctionData = Type.Object({
  type: described(Name, 'Kind of function, for example `parameters`.'),
});
const functionDataText = 'Definition of the function. Other names may have any value.';
const functionData = described(FunctionData, functionDataText);

export const functionSchemaText = 'JSON schemas of the `parameters` and of what it `returns`.';
const originText = 'Object that it was made for.';

/** The data of a function; prompts are shown as functions, too. */
export const StoredFunction = component('Function', {
  id,
  _xact_id: described(Text, 'Transaction that wrote this version.'),
  project_id: functionProjectId,
  log_id: Type.Literal('p', { default: 'p', description: 'Always `p`.' }),
  org_id: orgId,
  name: described(Name, promptName),
  slug: functionSlug,
  description,
  created: described(Timestamp, 'Time of creation of its first version.'),
  prompt_data: promptData,
  tags,
  metadata,
  function_type: functionType,
  function_data: functionData,
  /** Omitted if absent: older clients do not know these fields. */
  function_schema: omittable(AnyObject, functionSchemaText),
  origin: omittable(AnyObject, originText),
});

export const FunctionCreate = component('FunctionCreate', {
  project_id: functionProjectId,
  name: described(Name, promptName),
  slug: functionSlug,
  ...promptFields,
  function_data: functionData,
  function_schema: optional(AnyObject, functionSchemaText),
  origin: optional(AnyObject, originText),
  org_name: orgName,
});

export const FunctionPatch = component('FunctionPatch', {
  name: optional(Name, promptName),
  slug: optional(Name, functionSlugText),
  ...promptFields,
  function_data: optional(FunctionData, functionDataText),
});
