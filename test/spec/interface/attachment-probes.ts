// Attachments: announced, uploaded, reported, found, downloaded.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { announce, download, find, pathOf, upload, uploaded } from '../../support/attachments.js';
import {
  eventObject,
  insert,
  probesOf,
  send,
  shownBy,
  type Client,
  type Json,
  type Probe,
  type Run,
} from './probe.js';

const refusesOthers = async (client: Client, operation: string, body?: Json): Promise<void> => {
  const [method, path] = operation.split(' ') as [string, string];
  const { status, text } = await client.request(method, path, body);
  expect([status, text.slice(0, 7)]).to.deep.equal([400, 'org_id:']);
};

const keepsAll: Run = async (client) => {
  const key = await uploaded(client, 'content');
  const { address, status } = await find(client, key);
  expect(status).to.deep.equal({ upload_status: 'done' });
  const { text, headers } = await download(client, address);
  expect(text).to.equal('content');
  expect(headers.get('content-type')).to.equal('image/png');
  expect(headers.get('content-disposition')).to.equal('attachment; filename="a b.png"');
};

const isDownloadedAs: Run = async (client) => {
  const key = await uploaded(client, 'x');
  const { address } = await find(client, key, '&filename=other&content_type=text/plain');
  const { headers } = await download(client, address);
  expect(headers.get('content-type')).to.match(/^text\/plain/);
  expect(headers.get('content-disposition')).to.equal('attachment; filename="other"');
};

const isFoundInExperiment: Run = async (client) => {
  const key = await uploaded(client, 'x');
  const id = await eventObject(client, 'experiment');
  await insert(client, 'experiment', id, { input: { type: 'braintrust_attachment', key } });
  const where = `/v1/experiment/${id}/attachment?key=${key}&filename=other`;
  const { downloadUrl, status } = (await client.request('GET', where)).json();
  expect(status).to.deep.equal({ upload_status: 'done' });
  const { text, headers } = await download(client, pathOf(downloadUrl));
  expect(text).to.equal('x');
  expect(headers.get('content-disposition')).to.equal('attachment; filename="other"');
};

const reportsErrors: Run = async (client) => {
  const { key } = await announce(client);
  const status = { upload_status: 'error', error_message: 'the network is down' };
  await send(client, 'POST /attachment/status', { key, status });
  expect((await find(client, key)).status).to.deep.equal(status);
};

export const attachmentProbes: readonly Probe[] = [
  ...probesOf('POST /attachment', 'body', {
    ...shownBy(keepsAll, ['key', 'filename', 'content_type']),
    org_id: (client) =>
      refusesOthers(client, 'POST /attachment', {
        key: randomUUID(),
        filename: 'a',
        content_type: 'a/b',
        org_id: randomUUID(),
      }),
  }),
  ...probesOf('GET /attachment', 'query', {
    key: keepsAll,
    url: async (client) => {
      const url = 'https://example.test/a.png';
      const answer = await client.request('GET', `/attachment?url=${url}`);
      expect(answer.json()['downloadUrl']).to.equal(url);
    },
    filename: isDownloadedAs,
    content_type: isDownloadedAs,
    org_id: async (client) => {
      const key = await uploaded(client, 'x');
      await refusesOthers(client, `GET /attachment?key=${key}&org_id=${randomUUID()}`);
    },
  }),
  ...probesOf(
    'GET /v1/experiment/{id}/attachment',
    'query',
    shownBy(isFoundInExperiment, ['key', 'filename']),
  ),
  ...probesOf('POST /attachment/status', 'body', {
    key: reportsErrors,
    org_id: async (client) => {
      const key = await uploaded(client, 'x');
      const status = { upload_status: 'done' };
      await refusesOthers(client, 'POST /attachment/status', { key, status, org_id: randomUUID() });
    },
    status: reportsErrors,
    'status.upload_status': reportsErrors,
    'status.error_message': reportsErrors,
  }),
  ...probesOf('PUT /attachment/upload', 'query', {
    token: async (client) => {
      const { address } = await announce(client);
      expect((await upload(client, address, 'x')).status).to.equal(200);
    },
  }),
  ...probesOf('GET /attachment/download', 'query', { token: keepsAll }),
];
