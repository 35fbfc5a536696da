// Versions of datasets: snapshots and restores.
import type { JsonObject } from '../../json/json.js';
import { memberOf } from '../../json/tree.js';
import { DatasetSnapshot } from '../../schema/object.js';
import {
  FoundSnapshots,
  RegisteredSnapshot,
  RestoreBody,
  RestorePreview,
  Restored,
  SnapshotDelete,
  SnapshotFind,
  SnapshotPatch,
  SnapshotRegister,
} from '../../schema/sdk-functions.js';
import { deleteObject } from '../../service/object/objects.js';
import {
  changeSnapshot,
  findSnapshots,
  registerSnapshot,
} from '../../service/sdk/dataset-snapshots.js';
import { previewRestore, restoreDataset } from '../../service/sdk/restore.js';
import { operation, type DocumentedOperation } from '../operation.js';
import { post } from './operation.js';

const group = 'SDKs';

const idIn = (body: JsonObject): string => memberOf(body, 'id') as string;

export const snapshotAndRestoreOperations: readonly DocumentedOperation[] = [
  post('/api/dataset_snapshot/register', {
    name: 'registerDatasetSnapshot',
    group,
    summary: 'Create a snapshot of a dataset',
    body: SnapshotRegister,
    answer: RegisteredSnapshot,
    run: ({ services, caller }, body) => registerSnapshot(services, caller, body),
  }),
  post('/api/dataset_snapshot/get', {
    name: 'findDatasetSnapshots',
    group,
    summary: 'List snapshots of a dataset, by name or version',
    body: SnapshotFind,
    answer: FoundSnapshots,
    run: ({ services, caller }, body) => findSnapshots(services, caller, body),
  }),
  post('/api/dataset_snapshot/patch_id', {
    name: 'renameDatasetSnapshot',
    group,
    summary: 'Update the given fields of a snapshot',
    body: SnapshotPatch,
    answer: DatasetSnapshot,
    run: ({ services, caller }, body) => changeSnapshot(services, caller, body),
  }),
  post('/api/dataset_snapshot/delete_id', {
    name: 'removeDatasetSnapshot',
    group,
    summary: 'Delete a snapshot',
    body: SnapshotDelete,
    answer: DatasetSnapshot,
    run: ({ services, caller }, body) =>
      deleteObject(services, caller, 'dataset_snapshot', idIn(body)),
  }),
  operation('post', '/v1/dataset/:id/restore', {
    name: 'restoreDataset',
    group: 'Datasets',
    summary: 'Restore the records of a dataset to an earlier version',
    body: { kind: 'required', schema: RestoreBody },
    answer: Restored,
    run: ({ services, caller, id, body, reserve, signal }) =>
      restoreDataset(services, caller, id, body as JsonObject, reserve, signal()),
  }),
  operation('post', '/v1/dataset/:id/restore/preview', {
    name: 'previewRestore',
    group: 'Datasets',
    summary: 'Preview the restore of a dataset',
    body: { kind: 'required', schema: RestoreBody },
    answer: RestorePreview,
    run: ({ services, caller, id, body, signal }) =>
      previewRestore(services, caller, id, body as JsonObject, signal()),
  }),
];
