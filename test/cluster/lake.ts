// A server whose queries go to a Trino cluster over its tables, all of them that compile.
import { bucketName } from '../support/bucket-service.js';
import { testKey } from '../support/client.js';
import { openServer } from '../support/hosted-server.js';
import type { ServerTuning, TestServer } from '../support/test-server.js';
import { waitUntil } from '../support/wait-until.js';
import { startTrino, type RunningTrino } from './running-trino.js';

export interface Lake {
  readonly server: TestServer;
  readonly trino: RunningTrino;
  readonly stop: () => Promise<void>;
}

export interface LakeOptions {
  readonly port: number;
  /** The URL of the S3 service. */
  readonly endpoint: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly tuning?: ServerTuning;
}

interface Status {
  readonly cluster: { readonly state: string; readonly reason: string | null };
}

/** When it resolves, the server has found that the cluster agrees. */
export async function openLake({
  port,
  endpoint,
  environment = {},
  tuning = {},
}: LakeOptions): Promise<Lake> {
  const server = await openServer({
    environment: {
      EVALSTORE_TRINO_URL: `http://127.0.0.1:${port}`,
      EVALSTORE_TRINO_CATALOG: 'lake',
      EVALSTORE_CLUSTER_ROWS: '0',
      EVALSTORE_BUCKET: `s3://${bucketName}/cluster-${port}`,
      EVALSTORE_BUCKET_ENDPOINT: endpoint,
      ...environment,
    },
    tuning: { segments: { narrowRowsMin: 1 }, bucketTimes: { tableMs: 100 }, ...tuning },
  });
  const trino = await startTrino(port, {
    EVALSTORE_URL: server.url,
    EVALSTORE_KEY: testKey,
    EVALSTORE_BUCKET_ENDPOINT: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  });
  await waitUntil('the server finds that the cluster agrees', async () => {
    const { cluster } = (await server.get('/status')) as unknown as Status;
    if (cluster.state === 'differs') throw new Error(cluster.reason ?? '');
    return cluster.state === 'agrees';
  });
  const stop = async () => {
    trino.stop();
    await server.stop();
  };
  return { server, trino, stop };
}

/** How many queries had the outcome since the start of the server. */
export async function outcome(server: TestServer, name: string): Promise<number> {
  const { text } = await server.request('GET', '/metrics');
  return Number(text.match(new RegExp(`cluster_queries_total\\{outcome="${name}"\\} (\\d+)`))?.[1]);
}
