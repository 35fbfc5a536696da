// The stored objects and the bodies that create and change them. Field order is the order of answers.
import { Type, type Static } from 'typebox';
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
  optional,
} from './scalar.js';

export const Project = Type.Object(
  {
    id: Uuid,
    org_id: Uuid,
    name: Name,
    description: optional(Text),
    created: optional(Timestamp),
    deleted_at: optional(Timestamp),
    user_id: optional(Uuid),
    settings: optional(AnyObject),
  },
  closed,
);

export const ProjectCreate = Type.Object(
  {
    name: Name,
    description: optional(Text),
    settings: optional(AnyObject),
    org_name: optional(Text),
  },
  closed,
);

export const ProjectPatch = Type.Object(
  { name: optional(Name), description: optional(Text), settings: optional(AnyObject) },
  closed,
);

export const RepoInfo = Type.Object(
  {
    commit: optional(Text),
    branch: optional(Text),
    tag: optional(Text),
    dirty: optional(Flag),
    author_name: optional(Text),
    author_email: optional(Text),
    commit_message: optional(Text),
    commit_time: optional(Text),
    git_diff: optional(Text),
  },
  closed,
);

export const Experiment = Type.Object(
  {
    id: Uuid,
    project_id: Uuid,
    name: Name,
    description: optional(Text),
    created: optional(Timestamp),
    /** Left out when there is none: the interface does not let it be null. */
    repo_info: Type.Optional(RepoInfo),
    commit: optional(Text),
    base_exp_id: optional(Uuid),
    deleted_at: optional(Timestamp),
    dataset_id: optional(Uuid),
    dataset_version: optional(Text),
    public: Flag,
    user_id: optional(Uuid),
    metadata: optional(AnyObject),
    tags: optional(Strings),
  },
  closed,
);

const experimentFields = {
  name: optional(Name),
  description: optional(Text),
  repo_info: optional(RepoInfo),
  base_exp_id: optional(Uuid),
  dataset_id: optional(Uuid),
  dataset_version: optional(Text),
  public: optional(Flag),
  metadata: optional(AnyObject),
  tags: optional(Strings),
};

export const ExperimentCreate = Type.Object(
  { project_id: Uuid, ...experimentFields, ensure_new: optional(Flag) },
  closed,
);

export const ExperimentPatch = Type.Object(experimentFields, closed);

export const Dataset = Type.Object(
  {
    id: Uuid,
    project_id: optional(Uuid),
    name: Name,
    description: optional(Text),
    created: optional(Timestamp),
    deleted_at: optional(Timestamp),
    user_id: optional(Uuid),
    metadata: optional(AnyObject),
    tags: optional(Strings),
  },
  closed,
);

const datasetFields = {
  description: optional(Text),
  metadata: optional(AnyObject),
  tags: optional(Strings),
};

export const DatasetCreate = Type.Object(
  { project_id: optional(Uuid), name: Name, ...datasetFields },
  closed,
);

export const DatasetPatch = Type.Object({ name: optional(Name), ...datasetFields }, closed);

export const Prompt = Type.Object(
  {
    id: Uuid,
    _xact_id: Text,
    project_id: Uuid,
    log_id: Type.Literal('p', { default: 'p' }),
    org_id: Uuid,
    name: Name,
    slug: Name,
    description: optional(Text),
    created: Timestamp,
    prompt_data: optional(PromptData),
    tags: optional(Strings),
    metadata: optional(AnyObject),
  },
  closed,
);

const promptFields = {
  description: optional(Text),
  prompt_data: optional(PromptData),
  tags: optional(Strings),
};

export const PromptCreate = Type.Object(
  { project_id: Uuid, name: Name, slug: Name, ...promptFields },
  closed,
);

export const PromptPatch = Type.Object({ name: optional(Name), ...promptFields }, closed);

const Permission = Type.Object({ permission: Name, restrict_object_type: optional(Text) }, closed);

export const Role = Type.Object(
  {
    id: Uuid,
    org_id: Uuid,
    user_id: Uuid,
    created: Timestamp,
    name: Name,
    description: optional(Text),
    deleted_at: optional(Timestamp),
    member_permissions: Type.Array(Permission, { default: [] }),
    member_roles: Type.Array(Uuid, { default: [] }),
  },
  closed,
);

export const RoleCreate = Type.Object(
  {
    name: Name,
    description: optional(Text),
    member_permissions: optional(Type.Array(Permission)),
    member_roles: optional(Type.Array(Uuid)),
    org_name: optional(Text),
  },
  closed,
);

export type Project = Static<typeof Project>;

export type Experiment = Static<typeof Experiment>;
