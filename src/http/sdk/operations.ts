// The list of operations for SDKs.
import type { DocumentedOperation } from '../operation.js';
import { accountOperations } from './account-operations.js';
import { attachmentOperations } from './attachment-operations.js';
import { snapshotAndRestoreOperations } from './dataset-operations.js';
import { sdkEventOperations } from './event-operations.js';
import { functionOperations } from './function-operations.js';
import { registerOperations } from './register-operations.js';

export const sdkOperations: readonly DocumentedOperation[] = [
  ...accountOperations,
  ...registerOperations,
  ...sdkEventOperations,
  ...functionOperations,
  ...snapshotAndRestoreOperations,
  ...attachmentOperations,
];
