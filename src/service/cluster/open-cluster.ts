// The cluster that the settings name. Nothing of it is loaded without one.
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import type { EventStore } from '../../store/event-store.js';
import { trinoAddress } from '../../trino/address.js';
import type { Cluster } from './cluster.js';

export async function openCluster(
  { trinoUrl, trinoCatalog: catalog, clusterRows: rowsMin, queryTimeoutSeconds }: Config,
  store: EventStore,
  log: Logger,
): Promise<Cluster | null> {
  const address = trinoUrl === null ? null : trinoAddress(trinoUrl);
  if (address === null) return null;
  const { Cluster: Opened } = await import('./cluster.js');
  const timeoutMs = queryTimeoutSeconds * 1000;
  return new Opened({ address, catalog, rowsMin, timeoutMs, store, log });
}
