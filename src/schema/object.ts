// Schemas of stored objects, and of the bodies that create and update them. Field order is the order in answers.
// A schema with a title becomes a component of the reference.
import { Type, type Static } from 'typebox';
import { atMost, limits } from './limits.js';
import { PermissionName, permissionName, restrictObjectType } from './permission.js';
import { PromptData } from './prompt-data.js';
import { retentionSettings } from './removal.js';
import {
  AnyObject,
  Flag,
  Name,
  Strings,
  Text,
  Timestamp,
  Uuid,
  component,
  described,
  omittable,
  optional,
  XactIdText,
} from './scalar.js';
import { xactIdSpellings } from './xact-id.js';

/** Fields that every stored object has. */
export const id = described(Uuid, 'Unique id.');
export const orgId = described(Uuid, 'Organisation of the object.');
const created = optional(Timestamp, 'Time of creation.');
const deletedAt = optional(Timestamp, 'Time of deletion; null if it is not deleted.');
const userId = optional(Uuid, 'User who created it.');

export const description = optional(Text, 'Description.');
export const metadata = optional(AnyObject, 'Custom data by name.');
export const tags = optional(Strings, 'Labels.');
export const orgName = optional(
  Text,
  'Organisation of the new object; by default the one that the user of the key joined first.',
);

const projectName = described(Name, 'Name, unique within the organisation.');
const settings = optional(
  Type.Object(retentionSettings, {
    title: 'ProjectSettings',
    additionalProperties: Type.Unknown(),
  }),
  'Settings of the project, by name. Those of the server are here; others are stored for clients.',
);

export const Project = component('Project', {
  id,
  org_id: orgId,
  name: projectName,
  description,
  created,
  deleted_at: deletedAt,
  user_id: userId,
  settings,
});

export const ProjectCreate = component('ProjectCreate', {
  name: projectName,
  description,
  settings,
  org_name: orgName,
  project_group_name: optional(Text, 'Ignored: there are no groups of projects.'),
});

export const ProjectPatch = component('ProjectPatch', {
  name: optional(Name, 'New name, unique within the organisation.'),
  description,
  settings,
  user_id: optional(Uuid, 'Ignored: the creator of a project stays.'),
});

export const RepoInfo = component('RepoInfo', {
  commit: optional(Text, 'SHA of the latest commit.'),
  branch: optional(Text, 'Name of the branch.'),
  tag: optional(Text, 'Name of the tag on the latest commit.'),
  dirty: optional(Flag, 'Whether there were uncommitted changes.'),
  author_name: optional(Text, 'Name of the author of the latest commit.'),
  author_email: optional(Text, 'Email address of the author.'),
  commit_message: optional(Text, 'Message of the latest commit.'),
  commit_time: optional(Text, 'Time of the latest commit.'),
  git_diff: optional(Text, 'Diff of uncommitted changes against the latest commit.'),
});

const repoInfo = 'State of the repository from which the experiment ran.';

const experimentName = 'Name, unique within the project.';

const baseExperimentId = optional(Uuid, 'Default experiment to compare with.');
const linkedDatasetId = optional(Uuid, 'Dataset of the experiment.');
const datasetVersion = optional(
  XactIdText,
  `Version of that dataset: a transaction id ${xactIdSpellings}.`,
);
const isPublic = 'Whether everyone may read it without a key.';
const parametersId = 'Function of type `parameters` of the experiment.';
const parametersVersion = 'Version of these parameters.';
const internalMetadata = 'Internal data of clients, by name.';

export const Experiment = component('Experiment', {
  id,
  project_id: described(Uuid, 'Project of the object.'),
  name: described(Name, experimentName),
  description,
  created,
  /** Omitted if absent: the interface does not allow null. */
  repo_info: omittable(RepoInfo, repoInfo),
  commit: optional(Text, 'Copy of `repo_info.commit`.'),
  base_exp_id: baseExperimentId,
  deleted_at: deletedAt,
  dataset_id: linkedDatasetId,
  dataset_version: datasetVersion,
  public: described(Flag, isPublic),
  user_id: userId,
  metadata,
  tags,
  /** Omitted if absent: older clients do not know these fields. */
  parameters_id: omittable(Text, parametersId),
  parameters_version: omittable(Text, parametersVersion),
  internal_metadata: omittable(AnyObject, internalMetadata),
});

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

export const ancestorCommits = optional(
  Type.Array(Text, atMost(limits.commits)),
  'Ancestors of the commit, nearest first. Without another base, the base of a new experiment is the latest experiment of the nearest ancestor that has one.',
);

export const ExperimentCreate = component('ExperimentCreate', {
  project_id: described(Uuid, 'Project of the new object.'),
  ...experimentFields,
  ensure_new: optional(
    Flag,
    'If the name exists, create an experiment with a unique name instead of returning that one.',
  ),
  ancestor_commits: ancestorCommits,
  base_experiment_id: optional(
    Uuid,
    'The name of `base_exp_id` in the SDK for Java; ignored if that is sent.',
  ),
  org_name: orgName,
});

export const ExperimentPatch = component('ExperimentPatch', experimentFields);

const datasetName = 'Name, unique within the project.';

export const Dataset = component('Dataset', {
  id,
  project_id: optional(Uuid, 'Project of the dataset, if any.'),
  name: described(Name, datasetName),
  description,
  created,
  deleted_at: deletedAt,
  user_id: userId,
  metadata,
  tags,
});

export const DatasetCreate = component('DatasetCreate', {
  project_id: optional(Uuid, 'Project of the new dataset; optional.'),
  name: described(Name, datasetName),
  description,
  metadata,
  tags,
  org_name: orgName,
});

export const DatasetPatch = component('DatasetPatch', {
  name: optional(Name, datasetName),
  description,
  metadata,
  tags,
});

const snapshotName = 'Name, unique within the dataset.';
const snapshotVersion = `Version of the dataset: a transaction id ${xactIdSpellings}.`;

export const DatasetSnapshot = component('DatasetSnapshot', {
  id,
  dataset_id: described(Uuid, 'Dataset of the snapshot.'),
  name: described(Name, snapshotName),
  description,
  xact_id: described(XactIdText, snapshotVersion),
  created,
});

export const DatasetSnapshotCreate = component('DatasetSnapshotCreate', {
  dataset_id: described(Uuid, 'Dataset of the snapshot.'),
  name: described(Name, snapshotName),
  description,
  xact_id: described(XactIdText, snapshotVersion),
});

export const DatasetSnapshotPatch = component('DatasetSnapshotPatch', {
  name: optional(Name, snapshotName),
  description,
});

export const promptProjectId = 'Project of the object.';
export const promptName = 'Name.';
const slugText = 'Unique identifier of the prompt within its project.';
const slug = described(Name, slugText);
const functionTypeText = 'Use of the function, for example `scorer` or `parameters`.';
export const functionType = optional(Text, functionTypeText);
export const promptData = optional(PromptData, 'The prompt, the model and its parameters.');

export const Prompt = component('Prompt', {
  id,
  _xact_id: described(Text, 'Transaction that wrote this version.'),
  project_id: described(Uuid, promptProjectId),
  log_id: Type.Literal('p', { default: 'p', description: 'Always `p`.' }),
  org_id: orgId,
  name: described(Name, promptName),
  slug,
  description,
  created: described(Timestamp, 'Time of creation of its first version.'),
  prompt_data: promptData,
  tags,
  metadata,
  /** Omitted if absent: older clients refuse prompts with unknown fields. */
  function_type: omittable(Text, functionTypeText),
});

export const promptFields = {
  description,
  prompt_data: promptData,
  tags,
  metadata,
  function_type: functionType,
};

export const PromptCreate = component('PromptCreate', {
  project_id: described(Uuid, promptProjectId),
  name: described(Name, promptName),
  slug,
  ...promptFields,
  org_name: orgName,
  environment_slugs: optional(Strings, 'Ignored: environments are not supported.'),
});

export const PromptPatch = component('PromptPatch', {
  name: optional(Name, promptName),
  slug: optional(Name, slugText),
  ...promptFields,
});

/** A permission of a role, as answers show it. */
const Permission = component('Permission', {
  permission: described(Name, 'Permission that it grants, for example `create`.'),
  restrict_object_type: optional(
    Text,
    'Type of object to which it is limited, for example `project`; null for every type.',
  ),
});

const grantedPermissions = Type.Array(
  Type.Union([
    described(PermissionName, 'Permission that it grants for every type of object.'),
    component('GrantedPermission', {
      permission: permissionName,
      restrict_object_type: restrictObjectType,
    }),
  ]),
  atMost(limits.members),
);

const roleName = described(Name, 'Name, unique within the organisation.');
const memberPermissions = 'Permissions of the role.';
const memberRoles = 'Roles whose permissions it includes, recursively.';

export const Role = component('Role', {
  id,
  org_id: orgId,
  user_id: described(Uuid, 'User who created it.'),
  created: described(Timestamp, 'Time of creation.'),
  name: roleName,
  description,
  deleted_at: deletedAt,
  member_permissions: Type.Array(Permission, { default: [], description: memberPermissions }),
  member_roles: Type.Array(Uuid, { default: [], description: memberRoles }),
});

export const RoleCreate = component('RoleCreate', {
  name: roleName,
  description,
  member_permissions: optional(grantedPermissions, memberPermissions),
  member_roles: optional(Type.Array(Uuid, atMost(limits.members)), memberRoles),
  org_name: orgName,
});

export const RolePatch = component('RolePatch', {
  name: optional(Name, 'Name, unique within the organisation.'),
  description,
  member_permissions: optional(
    grantedPermissions,
    'Permissions of the role, instead of those before.',
  ),
  member_roles: optional(
    Type.Array(Uuid, atMost(limits.members)),
    'Roles whose permissions it includes, instead of those before.',
  ),
  add_member_permissions: optional(grantedPermissions, 'Permissions to add.'),
  remove_member_permissions: optional(grantedPermissions, 'Permissions to remove.'),
  add_member_roles: optional(Type.Array(Uuid, atMost(limits.members)), 'Roles to add.'),
  remove_member_roles: optional(Type.Array(Uuid, atMost(limits.members)), 'Roles to remove.'),
});

export type Project = Static<typeof Project>;

export type Experiment = Static<typeof Experiment>;
