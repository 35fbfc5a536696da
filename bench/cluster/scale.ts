// What more events take, from what one run measured: bytes and requests of the bucket, their price, and workers for an answer in a second.
import { table, titled } from '../report/markdown.js';

/** Published by Amazon for S3 Standard in us-east-1, in dollars; GB are 10^9 bytes. */
export const prices = {
  date: 'March 2026',
  /** For a GB and month: the first 50 TB, the next 450 TB, and what is beyond. */
  storage: [
    { gigabytes: 50_000, dollars: 0.023 },
    { gigabytes: 450_000, dollars: 0.022 },
    { gigabytes: Infinity, dollars: 0.021 },
  ],
  per1000Puts: 0.005,
  per1000Gets: 0.0004,
} as const;

export const assumptions = {
  /** The events came evenly in so many months, and all are kept. */
  months: 12,
  /** `EVALSTORE_FLUSH_ROWS` and `EVALSTORE_FLUSH_SECONDS`: what is reached first flushes. */
  rowsPerFlush: 50_000,
  secondsPerFlush: 300,
  /** Each level of compaction makes one segment of so many. */
  fanOut: 8,
  /** Of a segment that is merged no more: the first of the two that is reached. */
  rowsPerSegment: 1_000_000,
  bytesPerSegment: 512 * 2 ** 20,
  /** Objects of a snapshot of the table and of a copy of the manifest, after each flush and merge. */
  objectsPerPublication: 7,
  /** Questions a month that read the columns of all events in the bucket: 100 on each of 22 days. */
  scansPerMonth: 2_200,
  coresPerWorker: 16,
  /** What a worker reads of the bucket in a second: 10 Gbit. */
  bytesPerWorkerSecond: 1.25e9,
} as const;

const sizes: readonly number[] = [1e9, 1e10, 1e11];

/** What a run measured. */
export interface Measured {
  /** In the bucket, of all files of segments. */
  readonly bytesPerEvent: number;
  /** Of the narrow files among them. */
  readonly narrowBytesPerEvent: number;
  readonly objectsPerSegment: number;
  /** Of Trino, in the median question: requests to the bucket for each segment, and bytes of it for each event. */
  readonly getsPerSegment: number;
  readonly readBytesPerEvent: number;
  /** Of Trino, beyond those of a statement of which no file has rows. */
  readonly cpuSecondsPerMillion: number;
  /** Of the server, from its disk. */
  readonly serverCpuSecondsPerMillion: number;
}

const secondsPerMonth = 86_400 * 30;

function storageDollars(bytes: number): number {
  let left = bytes / 1e9;
  let dollars = 0;
  for (const tier of prices.storage) {
    const gigabytes = Math.min(left, tier.gigabytes);
    dollars += gigabytes * tier.dollars;
    left -= gigabytes;
  }
  return dollars;
}

export interface Scale {
  readonly terabytes: number;
  readonly narrowTerabytes: number;
  readonly segments: number;
  readonly objects: number;
  readonly putsPerMonth: number;
  readonly getsPerScan: number;
  readonly readGigabytesPerScan: number;
  /** A month. */
  readonly storageDollars: number;
  /** A month. */
  readonly requestDollars: number;
  readonly cpuSecondsPerScan: number;
  /** Workers that answer the median question in a second, if they share the work evenly. */
  readonly workers: number;
  readonly workersForAMinute: number;
  /** Of one server with as many cores as a worker, and all files on its disk. */
  readonly serverSeconds: number;
}

export function scaleOf(events: number, measured: Measured): Scale {
  const { months, rowsPerFlush, fanOut, scansPerMonth, coresPerWorker } = assumptions;
  const { bytesPerEvent, objectsPerSegment } = measured;
  const segments =
    events / Math.min(assumptions.rowsPerSegment, assumptions.bytesPerSegment / bytesPerEvent);
  const flushesPerMonth = Math.max(
    events / months / rowsPerFlush,
    secondsPerMonth / assumptions.secondsPerFlush,
  );
  // Those of flushes, and those of all levels of merges.
  const writtenPerMonth = flushesPerMonth * (fanOut / (fanOut - 1));
  const putsPerMonth = writtenPerMonth * (objectsPerSegment + assumptions.objectsPerPublication);
  const getsPerScan = segments * measured.getsPerSegment;
  const readBytes = events * measured.readBytesPerEvent;
  const cpuSecondsPerScan = (events / 1e6) * measured.cpuSecondsPerMillion;
  const workerSeconds = Math.max(
    cpuSecondsPerScan / coresPerWorker,
    readBytes / assumptions.bytesPerWorkerSecond,
  );
  return {
    terabytes: (events * bytesPerEvent) / 1e12,
    narrowTerabytes: (events * measured.narrowBytesPerEvent) / 1e12,
    segments,
    objects: segments * objectsPerSegment,
    putsPerMonth,
    getsPerScan,
    readGigabytesPerScan: readBytes / 1e9,
    storageDollars: storageDollars(events * bytesPerEvent),
    requestDollars:
      (putsPerMonth * prices.per1000Puts + getsPerScan * scansPerMonth * prices.per1000Gets) / 1000,
    cpuSecondsPerScan,
    workers: Math.ceil(workerSeconds),
    workersForAMinute: Math.ceil(workerSeconds / 60),
    serverSeconds: ((events / 1e6) * measured.serverCpuSecondsPerMillion) / coresPerWorker,
  };
}

const figures: Readonly<Record<string, (scale: Scale) => number>> = {
  'in the bucket, TB': ({ terabytes }) => terabytes,
  'of which narrow files, TB': ({ narrowTerabytes }) => narrowTerabytes,
  segments: (scale) => scale.segments,
  objects: ({ objects }) => objects,
  'PUTs a month': ({ putsPerMonth }) => putsPerMonth,
  'GETs of one question over all events': ({ getsPerScan }) => getsPerScan,
  'GB that it reads': ({ readGigabytesPerScan }) => readGigabytesPerScan,
  'storage, $ a month': (scale) => scale.storageDollars,
  'requests, $ a month': ({ requestDollars }) => requestDollars,
  'processor seconds of the question': ({ cpuSecondsPerScan }) => cpuSecondsPerScan,
  'workers that answer it in a second': ({ workers }) => workers,
  'workers that answer it in a minute': ({ workersForAMinute }) => workersForAMinute,
  'seconds of one server with all files on its disk': ({ serverSeconds }) => serverSeconds,
};

/** The calculation as Markdown. */
export function scaleText(measured: Measured): string {
  const { months, scansPerMonth, coresPerWorker, bytesPerWorkerSecond } = assumptions;
  const scales = sizes.map((events) => scaleOf(events, measured));
  const rows = Object.entries(figures).map(([what, figure]) => titled(what, scales.map(figure)));
  const header = ['events', ...sizes.map((events) => `${events / 1e9} billion`)];
  const [perGb] = prices.storage;
  return [
    `Calculated, not measured, by \`bench/cluster/scale.ts\`: ${measured.bytesPerEvent.toFixed(0)} bytes of an event are in the bucket,`,
    `${measured.narrowBytesPerEvent.toFixed(0)} of them in narrow files. For a million events, the median question costs Trino ${measured.cpuSecondsPerMillion.toFixed(2)} processor`,
    `seconds, and the server ${measured.serverCpuSecondsPerMillion.toFixed(2)}; Trino reads ${measured.readBytesPerEvent.toFixed(1)} bytes of each event and sends`,
    `${measured.getsPerSegment.toFixed(1)} requests per segment. The events came evenly in ${months} months; ${scansPerMonth.toLocaleString('en-US')} questions a month read all of`,
    `them in the bucket. A worker, and a server, has ${coresPerWorker} cores; a worker reads ${bytesPerWorkerSecond / 1e9} GB a second. Prices are those of S3 Standard in us-east-1 in`,
    `${prices.date}: $${perGb.dollars} for a GB and month and less beyond 50 TB, $${prices.per1000Puts} for 1,000 PUTs, $${prices.per1000Gets} for 1,000 GETs.`,
    'Transfer within the region costs nothing; machines are not in the sums. No more than 10 million events were ever tried.',
    '',
    table(header, rows),
  ].join('\n');
}
