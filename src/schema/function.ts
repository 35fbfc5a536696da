// Functions, which are kept beside prompts, and the bodies that create and change them.
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
import { Name, Text, Timestamp, Uuid, closed, described, optional } from './scalar.js';

const functionProjectId = described(Uuid, promptProjectId);
const functionSlug = described(Name, 'Unique identifier of the function within its project.');
const FunctionData = Type.Object({
  type: described(Name, 'Kind of function, for example `parameters`.'),
});
const functionDataText = 'What the function is. Other names may have any value.';
const functionData = described(FunctionData, functionDataText);

/** What is no prompt; a prompt is shown as one, too. */
export const StoredFunction = Type.Object(
  {
    id,
    _xact_id: described(Text, 'Transaction that wrote this version of it.'),
    project_id: functionProjectId,
    log_id: Type.Literal('p', { default: 'p', description: 'Always `p`.' }),
    org_id: orgId,
    name: described(Name, promptName),
    slug: functionSlug,
    description,
    created: described(Timestamp, 'When its first version was created.'),
    prompt_data: promptData,
    tags,
    metadata,
    function_type: functionType,
    function_data: functionData,
  },
  { ...closed, title: 'Function' },
);

const functionFields = { ...promptFields, metadata };

export const FunctionCreate = Type.Object(
  {
    project_id: functionProjectId,
    name: described(Name, promptName),
    slug: functionSlug,
    ...functionFields,
    function_data: functionData,
    org_name: orgName,
  },
  { ...closed, title: 'FunctionCreate' },
);

export const FunctionPatch = Type.Object(
  {
    name: optional(Name, promptName),
    ...functionFields,
    function_data: optional(FunctionData, functionDataText),
  },
  { ...closed, title: 'FunctionPatch' },
);
