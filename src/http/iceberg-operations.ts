// The catalog of tables: the Iceberg REST protocol, as far as it reads.
import { Type } from 'typebox';
import {
  CatalogConfig,
  CatalogError,
  LoadedTable,
  Namespace,
  Namespaces,
  Tables,
  tableName,
} from '../schema/iceberg.js';
import {
  catalogConfig,
  getNamespace,
  listNamespaces,
  listTables,
  loadTable,
  takeReport,
} from '../service/table/catalog.js';
import { operation, type DocumentedOperation } from './operation.js';

const shared = {
  group: 'Tables',
  // The protocol lets servers ignore what they do not know.
  query: Type.Object({}),
  refusals: { 'application/json': CatalogError },
} as const;

const namespaces = '/iceberg/v1/namespaces';
const table = `${namespaces}/:namespace/tables/${tableName}`;

export const icebergOperations: readonly DocumentedOperation[] = [
  operation('get', '/iceberg/v1/config', {
    ...shared,
    name: 'getCatalogConfig',
    summary: 'Return the settings of the catalog of tables, which speaks the Iceberg REST protocol',
    answer: CatalogConfig,
    run: ({ services }) => catalogConfig(services),
  }),
  operation('get', namespaces, {
    ...shared,
    name: 'listNamespaces',
    summary: 'List the projects of which the key may read everything',
    answer: Namespaces,
    run: ({ services, caller }) => listNamespaces(services, caller),
  }),
  operation('get', `${namespaces}/:namespace`, {
    ...shared,
    name: 'getNamespace',
    summary: 'Return a project by its name or id',
    answer: Namespace,
    run: ({ services, caller, id }) => getNamespace(services, caller, id),
  }),
  operation('get', `${namespaces}/:namespace/tables`, {
    ...shared,
    name: 'listTables',
    summary: 'List the table of a project',
    answer: Tables,
    run: ({ services, caller, id }) => listTables(services, caller, id),
  }),
  operation('get', table, {
    ...shared,
    name: 'loadTable',
    summary: 'Return the metadata of the table of a project',
    answer: LoadedTable,
    run: ({ services, caller, id }) => loadTable(services, caller, id),
  }),
  operation('post', `${table}/metrics`, {
    ...shared,
    name: 'reportMetrics',
    summary: 'Accept a report of an engine, and forget it',
    body: { kind: 'stream' },
    run: ({ services, caller, id }) => takeReport(services, caller, id),
  }),
];
