// The stored objects and the bodies that create and change them. Field order is the order of answers.
// A schema with a title is a component of its own in the reference.
import { Type, type Static } from 'typebox';
import { atMost, limits } from './limits.js';
import { permissionName, restrictObjectType } from './permission.js';
import { PromptData } from './prompt-data.js';
import {
  AnyObject,
  Flag,
  Name,
  Strings,
  Text,
  Timestamp,
  Uuid,
  closed,
  described,
  optional,
} from './scalar.js';

/** Fields that every stored object has. */
export const id = described(Uuid, 'Unique id.');
export const orgId = described(Uuid, 'Organisation that it belongs to.');
const created = optional(Timestamp, 'When it was created.');
const deletedAt = optional(Timestamp, 'When it was deleted; null while it is active.');
const userId = optional(Uuid, 'User who created it.');

export const description = optional(Text, 'Text that says what it is.');
export const metadata = optional(AnyObject, 'Whatever you want to keep with it, by name.');
export const tags = optional(Strings, 'Labels.');
export const orgName = optional(
  Text,
  'Organisation to create it in; needed only when the key belongs to several.',
);

const projectName = described(Name, 'Name, unique within the organisation.');
const settings = optional(AnyObject, 'Settings of the project, by name.');

export const Project = Type.Object(
  {
    id,
    org_id: orgId,
    name: projectName,
    description,
    created,
    deleted_at: deletedAt,
    user_id: userId,
    settings,
  },
  { ...closed, title: 'Project' },
);

export const ProjectCreate = Type.Object(
  { name: projectName, description, settings, org_name: orgName },
  { ...closed, title: 'ProjectCreate' },
);

export const ProjectPatch = Type.Object(
  {
    name: optional(Name, 'New name, unique within the organisation.'),
    description,
    settings,
  },
  { ...closed, title: 'ProjectPatch' },
);

export const RepoInfo = Type.Object(
  {
    commit: optional(Text, 'SHA of the latest commit.'),
    branch: optional(Text, 'Name of the branch.'),
    tag: optional(Text, 'Name of the tag on the latest commit.'),
    dirty: optional(Flag, 'Whether there were uncommitted changes.'),
    author_name: optional(Text, 'Name of the author of the latest commit.'),
    author_email: optional(Text, 'Email address of that author.'),
    commit_message: optional(Text, 'Message of the latest commit.'),
    commit_time: optional(Text, 'Time of the latest commit.'),
    git_diff: optional(Text, 'Diff against the latest commit when there were uncommitted changes.'),
  },
  { ...closed, title: 'RepoInfo' },
);

const repoInfo = 'State of the repository that the experiment ran from.';

const experimentName = 'Name, unique within the project.';

const baseExperimentId = optional(
  Uuid,
  'Experiment to compare with when a summary names no other.',
);
const linkedDatasetId = optional(Uuid, 'Dataset that the experiment ran on.');
const datasetVersion = optional(
  Text,
  'Version of that dataset that the experiment ran on: a transaction id in either spelling.',
);
const isPublic = 'Whether anybody may view it, also without a key.';
const parametersId = 'Function of type `parameters` that the experiment ran with.';
const parametersVersion = 'Version of these parameters.';
const internalMetadata = 'What clients keep with it for themselves, by name.';

export const Experiment = Type.Object(
  {
    id,
    project_id: described(Uuid, 'Project that it belongs to.'),
    name: described(Name, experimentName),
    description,
    created,
    /** Left out when there is none: the interface does not let it be null. */
    repo_info: Type.Optional(described(RepoInfo, repoInfo)),
    commit: optional(Text, 'Copy of `repo_info.commit`.'),
    base_exp_id: baseExperimentId,
    deleted_at: deletedAt,
    dataset_id: linkedDatasetId,
    dataset_version: datasetVersion,
    public: described(Flag, isPublic),
    user_id: userId,
    metadata,
    tags,
    /** Left out when there is none: older clients know no such fields. */
    parameters_id: Type.Optional(described(Text, parametersId)),
    parameters_version: Type.Optional(described(Text, parametersVersion)),
    internal_metadata: Type.Optional(described(AnyObject, internalMetadata)),
  },
  { ...closed, title: 'Experiment' },
);

const experimentFields = {
  name: optional(Name, experimentName),
  description,
  repo_info: optional(RepoInfo, repoInfo),
  base_exp_id: baseExperimentId,
  dataset_id: linkedDatasetId,
  dataset_version: datasetVersion,
  public: optional(Flag, isPublic),
  metadata,
  tags,
  parameters_id: optional(Text, parametersId),
  parameters_version: optional(Text, parametersVersion),
  internal_metadata: optional(AnyObject, internalMetadata),
};

export const ExperimentCreate = Type.Object(
  {
    project_id: described(Uuid, 'Project to create it in.'),
    ...experimentFields,
    ensure_new: optional(
      Flag,
      'When the name is taken: create a new experiment with a unique name, not answer the existing one.',
    ),
    org_name: orgName,
  },
  { ...closed, title: 'ExperimentCreate' },
);

export const ExperimentPatch = Type.Object(experimentFields, {
  ...closed,
  title: 'ExperimentPatch',
});

const datasetName = 'Name, unique within the project.';

export const Dataset = Type.Object(
  {
    id,
    project_id: optional(Uuid, 'Project that it belongs to, if any.'),
    name: described(Name, datasetName),
    description,
    created,
    deleted_at: deletedAt,
    user_id: userId,
    metadata,
    tags,
  },
  { ...closed, title: 'Dataset' },
);

export const DatasetCreate = Type.Object(
  {
    project_id: optional(Uuid, 'Project to create it in; a dataset may have none.'),
    name: described(Name, datasetName),
    description,
    metadata,
    tags,
    org_name: orgName,
  },
  { ...closed, title: 'DatasetCreate' },
);

export const DatasetPatch = Type.Object(
  { name: optional(Name, datasetName), description, metadata, tags },
  { ...closed, title: 'DatasetPatch' },
);

const snapshotName = 'Name, unique within the dataset.';
const snapshotVersion =
  'Version of the dataset that it stands for: a transaction id in either spelling.';

export const DatasetSnapshot = Type.Object(
  {
    id,
    dataset_id: described(Uuid, 'Dataset that it is of.'),
    name: described(Name, snapshotName),
    description,
    xact_id: described(Text, snapshotVersion),
    created,
  },
  { ...closed, title: 'DatasetSnapshot' },
);

export const DatasetSnapshotCreate = Type.Object(
  {
    dataset_id: described(Uuid, 'Dataset that it is of.'),
    name: described(Name, snapshotName),
    description,
    xact_id: described(Text, snapshotVersion),
  },
  { ...closed, title: 'DatasetSnapshotCreate' },
);

export const DatasetSnapshotPatch = Type.Object(
  { name: optional(Name, snapshotName), description },
  { ...closed, title: 'DatasetSnapshotPatch' },
);

export const promptProjectId = 'Project that it belongs to.';
export const promptName = 'Name.';
const slug = described(Name, 'Unique identifier of the prompt within its project.');
const functionTypeText =
  'What it is used as, for example `scorer`; of functions also `parameters`.';
export const functionType = optional(Text, functionTypeText);
export const promptData = optional(PromptData, 'The prompt, the model and its parameters.');

export const Prompt = Type.Object(
  {
    id,
    _xact_id: described(Text, 'Transaction that wrote this version of it.'),
    project_id: described(Uuid, promptProjectId),
    log_id: Type.Literal('p', { default: 'p', description: 'Always `p`.' }),
    org_id: orgId,
    name: described(Name, promptName),
    slug,
    description,
    created: described(Timestamp, 'When its first version was created.'),
    prompt_data: promptData,
    tags,
    metadata,
    /** Left out when there is none: older clients refuse a prompt with fields that they do not know. */
    function_type: Type.Optional(described(Text, functionTypeText)),
  },
  { ...closed, title: 'Prompt' },
);

export const promptFields = {
  description,
  prompt_data: promptData,
  tags,
  function_type: functionType,
};

export const PromptCreate = Type.Object(
  {
    project_id: described(Uuid, promptProjectId),
    name: described(Name, promptName),
    slug,
    ...promptFields,
    org_name: orgName,
  },
  { ...closed, title: 'PromptCreate' },
);

export const PromptPatch = Type.Object(
  { name: optional(Name, promptName), ...promptFields },
  { ...closed, title: 'PromptPatch' },
);

/** Older versions stored any names; those that mean nothing grant nothing. */
const Permission = Type.Object(
  {
    permission: described(Name, 'What it allows, for example `create`.'),
    restrict_object_type: optional(
      Text,
      'Type of object that it is limited to, for example `project`; null for every type.',
    ),
  },
  { ...closed, title: 'Permission' },
);

const grantedPermissions = Type.Array(
  Type.Object(
    { permission: permissionName, restrict_object_type: restrictObjectType },
    { ...closed, title: 'GrantedPermission' },
  ),
  atMost(limits.members),
);

const roleName = described(Name, 'Name, unique within the organisation.');
const memberPermissions = 'Permissions that belong to the role.';
const memberRoles =
  'Roles that it inherits from: it has all their permissions, also those they inherit.';

export const Role = Type.Object(
  {
    id,
    org_id: orgId,
    user_id: described(Uuid, 'User who created it.'),
    created: described(Timestamp, 'When it was created.'),
    name: roleName,
    description,
    deleted_at: deletedAt,
    member_permissions: Type.Array(Permission, { default: [], description: memberPermissions }),
    member_roles: Type.Array(Uuid, { default: [], description: memberRoles }),
  },
  { ...closed, title: 'Role' },
);

export const RoleCreate = Type.Object(
  {
    name: roleName,
    description,
    member_permissions: optional(grantedPermissions, memberPermissions),
    member_roles: optional(Type.Array(Uuid, atMost(limits.members)), memberRoles),
    org_name: orgName,
  },
  { ...closed, title: 'RoleCreate' },
);

export const RolePatch = Type.Object(
  {
    name: optional(Name, 'Name, unique within the organisation.'),
    description,
    add_member_permissions: optional(grantedPermissions, 'Permissions to add.'),
    remove_member_permissions: optional(grantedPermissions, 'Permissions to remove.'),
    add_member_roles: optional(Type.Array(Uuid, atMost(limits.members)), 'Roles to inherit from.'),
    remove_member_roles: optional(
      Type.Array(Uuid, atMost(limits.members)),
      'Roles to inherit from no longer.',
    ),
  },
  { ...closed, title: 'RolePatch' },
);

export type Project = Static<typeof Project>;

export type Experiment = Static<typeof Experiment>;
