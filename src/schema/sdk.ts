// Bodies and answers of the operations that the SDKs call beside those of the interface. Unknown fields of bodies are
// ignored: newer clients send more than is named here.
import { Type, type Static } from 'typebox';
import { Dataset, Experiment, Project, RepoInfo } from './object.js';
import {
  AnyObject,
  Flag,
  Name,
  Strings,
  Text,
  Uuid,
  closed,
  described,
  optional,
} from './scalar.js';

const orgId = optional(Uuid, 'Organisation of the key; another one is refused.');
const orgName = optional(Text, 'Name of the organisation of the key; another one is refused.');
const projectId = optional(Uuid, 'Project that it is in.');
const projectName = optional(
  Name,
  'Name of the project that it is in, made when there is none; `Global` when neither this nor an id is sent.',
);

const aProject = described(Project, 'The project.');

const Organisation = Type.Object(
  {
    id: described(Uuid, 'Unique id.'),
    name: described(Text, 'Name.'),
    api_url: described(Text, 'Address of this server, as the client reached it or as configured.'),
    proxy_url: described(Text, 'The same address.'),
    realtime_url: described(Type.Null(), 'Always null.'),
    is_universal_api: described(Flag, 'Always true.'),
    git_metadata: described(AnyObject, 'What clients send about the repository.'),
  },
  { ...closed, title: 'SdkOrganisation' },
);

export const Login = Type.Object(
  { org_info: Type.Array(Organisation, { description: 'The organisation of the key.' }) },
  { ...closed, title: 'Login' },
);

export const Identity = Type.Object(
  {
    id: described(Uuid, 'User that the key belongs to.'),
    org_id: described(Uuid, 'Organisation of the key.'),
    org_name: described(Text, 'Name of it.'),
  },
  { ...closed, title: 'Identity' },
);

export const ProjectRegister = Type.Object({
  project_name: optional(Name, 'Name of the project; `Global` when left out.'),
  org_id: orgId,
});

export const RegisteredProject = Type.Object(
  { project: aProject },
  { ...closed, title: 'RegisteredProject' },
);

export const NamedProject = Type.Object(
  { name: described(Text, 'Name of the project.'), project: aProject },
  { ...closed, title: 'NamedProject' },
);

export const ProjectId = Type.Object({ id: described(Uuid, 'Id of the project.') }, closed);

export const ProjectGet = Type.Object({ id: described(Uuid, 'Id of the project.') });

export const ExperimentRegister = Type.Object({
  project_id: projectId,
  project_name: projectName,
  org_id: orgId,
  experiment_name: optional(Name, 'Name; one is made when it is left out.'),
  update: optional(
    Flag,
    'When the name is taken: answer the existing experiment, not make one with a suffixed name.',
  ),
  description: optional(Text, 'Text that says what it is.'),
  repo_info: optional(RepoInfo, 'State of the repository that the experiment ran from.'),
  ancestor_commits: optional(
    Type.Array(Text),
    'Commits before the present one, the nearest first: without another base, the base is the latest experiment of the nearest commit that has one.',
  ),
  base_exp_id: optional(Uuid, 'Experiment to compare with.'),
  base_experiment: optional(
    Name,
    'Name of the experiment of the project to compare with, unless `base_exp_id` is sent.',
  ),
  dataset_id: optional(Uuid, 'Dataset that the experiment runs on.'),
  dataset_version: optional(Text, 'Version of that dataset, in either spelling.'),
  public: optional(Flag, 'Whether anybody may view it, also without a key.'),
  metadata: optional(AnyObject, 'Whatever you want to keep with it, by name.'),
  tags: optional(Strings, 'Labels.'),
  parameters_id: optional(Text, 'Function of type `parameters` that it runs with.'),
  parameters_version: optional(Text, 'Version of these parameters.'),
  internal_metadata: optional(AnyObject, 'What clients keep with it for themselves, by name.'),
});

export const RegisteredExperiment = Type.Object(
  { project: aProject, experiment: described(Experiment, 'The experiment.') },
  { ...closed, title: 'RegisteredExperiment' },
);

export const ExperimentGet = Type.Object({
  project_id: projectId,
  project_name: optional(Name, 'Name of the project that it is in.'),
  org_name: orgName,
  experiment_name: described(Name, 'Name of the experiment.'),
});

export const BaseExperimentGet = Type.Object({
  id: described(Uuid, 'Id of the experiment.'),
});

export const BaseExperiment = Type.Object(
  {
    base_exp_id: described(Uuid, 'Experiment that it is compared with.'),
    base_exp_name: described(Text, 'Name of that experiment.'),
  },
  { ...closed, title: 'BaseExperiment' },
);

export const DatasetRegister = Type.Object({
  project_id: projectId,
  project_name: projectName,
  org_id: orgId,
  dataset_name: described(Name, 'Name of the dataset.'),
  description: optional(Text, 'Text that says what it is.'),
  metadata: optional(AnyObject, 'Whatever you want to keep with it, by name.'),
});

export const RegisteredDataset = Type.Object(
  {
    project: aProject,
    dataset: described(Dataset, 'The dataset.'),
    found_existing: described(Flag, 'Whether the dataset existed before.'),
  },
  { ...closed, title: 'RegisteredDataset' },
);

export const ObjectInfoGet = Type.Object({
  object_type: Type.Union(
    [
      Type.Literal('project'),
      Type.Literal('experiment'),
      Type.Literal('dataset'),
      Type.Literal('prompt'),
    ],
    { description: 'Kind of the objects.' },
  ),
  object_ids: Type.Array(Text, { description: 'Ids of the objects.' }),
});

export const ObjectInfos = Type.Array(
  Type.Object(
    {
      object_id: described(Uuid, 'Id of the object.'),
      object_name: described(Text, 'Name of the object.'),
      parent_cols: Type.Object(
        {
          project: Type.Optional(
            Type.Object(
              { id: described(Uuid, 'Id.'), name: described(Text, 'Name.') },
              { ...closed, description: 'Project that it is in.' },
            ),
          ),
        },
        { ...closed, description: 'What it is in.' },
      ),
    },
    { ...closed, title: 'ObjectInfo' },
  ),
);

export type ObjectInfoRequest = Readonly<Static<typeof ObjectInfoGet>>;
