// The downloads that have a URL: what each one answers, and for how long its URL is valid.
import type { KeptFile, KeptFiles } from '../store/event-store.js';
import type { QueryRequest } from '../schema/request.js';
import { stringifyJson } from '../json/stringify.js';
import { createOffers, type Offers } from './offers.js';
import type { SharedRun } from './shared-run.js';

/** An answer in a file. */
export interface KeptAnswer {
  readonly file: KeptFile;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the query read. */
  readonly ids: readonly string[];
}

export interface Download {
  readonly keyId: string;
  readonly request: QueryRequest;
  readonly kept: SharedRun<KeptAnswer>;
}

export interface Downloads {
  readonly offers: Offers<Download>;
  readonly files: KeptFiles;
}

const limits = { lifetime: 600_000, countMax: 1_000, sizeMax: 2 ** 24, totalMax: 2 ** 26 };

/** An upper bound for the memory of a download without its query, in bytes. */
const restSize = 1_000;

/** Sizes are about those of the queries in bytes. Owners are keys. */
export const createDownloads = (files: KeptFiles): Downloads => ({
  offers: createOffers(limits, ({ request }) => stringifyJson(request.query).length + restSize),
  files,
});
