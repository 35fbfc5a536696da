// The formats of a data directory that this release can read.
import { catalogSteps } from './catalog/tables.js';
import { refuseNewer } from './duckdb/migrate.js';
import type { Writer } from './duckdb/writer.js';
import { storeSteps } from './store/event-store.js';

const known = { catalog: catalogSteps.length, store: storeSteps.length };

/** Changes nothing. @throws Error if a newer release wrote the data directory */
export const refuseNewerDirectory = (writer: Writer): Promise<void> => refuseNewer(writer, known);
