// What this version knows of the formats of a data directory.
import { catalogSteps } from './catalog/tables.js';
import { refuseNewer } from './duckdb/migrate.js';
import type { Writer } from './duckdb/writer.js';
import { storeSteps } from './store/event-store.js';

/** Changes nothing. Throws an Error for a data directory that a newer version wrote. */
export const refuseNewerDirectory = (writer: Writer): Promise<void> =>
  refuseNewer(writer, { catalog: catalogSteps.length, store: storeSteps.length });
