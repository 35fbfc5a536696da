// An event with files of every kind: shown as images, played, saved, stored elsewhere, and not uploaded.
import { announce, uploaded } from '../support/attachments.js';
import type { TestServer } from '../support/start-server.js';
import { png, wav } from './media.js';

/** In the project `files`. */
export async function loadFiles(server: TestServer): Promise<void> {
  const project = (await server.request('POST', '/v1/project', { name: 'files' })).json();
  const type = 'braintrust_attachment';
  const cat = { filename: 'cat.png', content_type: 'image/png' };
  const key = await uploaded(server, png(320, 200), cat);
  const late = await announce(server);
  const url = `data:image/png;base64,${png(200, 100).toString('base64')}`;
  const input_audio = { data: wav().toString('base64'), format: 'wav' };
  const content = [
    { type: 'text', text: 'What is on these?' },
    { type: 'image_url', image_url: { url } },
    { type: 'image_url', image_url: { url: 'https://images.example/cat.png' } },
    { type: 'input_audio', input_audio },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
  ];
  const events = [
    {
      input: { cat: { type, key, ...cat }, late: { type, ...cat, key: late.key } },
      output: [{ role: 'user', content }],
    },
  ];
  await server.request('POST', `/v1/project_logs/${String(project['id'])}/insert`, { events });
}
