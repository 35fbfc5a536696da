// The workloads of clients that send events as they happen, on a project of their own.
import type { Evalstore } from '../contenders/evalstore.js';
import { connectionKey } from '../contenders/evalstore.js';
import { connect } from '../contenders/evalstore-client.js';
import type { GeneratedEvent } from '../generator/events.js';
import { measureIngest, type Ingest } from './ingest.js';
import { sdkRequests, singleRequests } from './requests.js';

export const singleConnections = 64;
const sdkConnections = 16;
/** More than the connections, so that a row is there before its merge is sent. */
const sdkLag = 64;

export async function ingestEvalstore(
  evalstore: Evalstore,
  events: readonly GeneratedEvent[],
): Promise<readonly Ingest[]> {
  const projectId = await evalstore.createProject('ingest');
  const client = connect(evalstore.url(), connectionKey, singleConnections);
  const send = (body: string) => client.post(`/v1/project_logs/${projectId}/insert`, body);
  const contender = evalstore.name;
  const single = await measureIngest(
    { contender, workload: 'single' },
    singleRequests(events),
    singleConnections,
    send,
  );
  const sdk = await measureIngest(
    { contender, workload: 'sdk' },
    sdkRequests(events, sdkLag),
    sdkConnections,
    send,
  );
  await client.close();
  return [single, sdk];
}
