// The formats of a data directory that this release can read.
import { catalogSteps } from './catalog/tables.js';
import { refuseNewer, refuseOlder } from './duckdb/migrate.js';
import type { Writer } from './duckdb/writer.js';
import { storeSteps } from './store/event-store.js';

const known = { catalog: catalogSteps.length, store: storeSteps.length };

/** Changes nothing. @throws Error if a newer release wrote the data directory */
export const refuseNewerDirectory = (writer: Writer): Promise<void> => refuseNewer(writer, known);

/** Changes nothing. @throws Error if an older release wrote the data directory, which must be migrated before it can be read */
export const refuseOlderDirectory = (writer: Writer): Promise<void> => refuseOlder(writer, known);
