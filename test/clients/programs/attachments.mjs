// Attachments of the SDK: up with logs and records, from memory, from a file and as JSON; down again.
import {
  Attachment,
  JSONAttachment,
  ReadonlyAttachment,
  init,
  initDataset,
  initLogger,
} from 'braintrust';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { report } from './report.mjs';

const bytes = new Uint8Array(100_000).map((_, index) => (index * 31) % 256);
const file = fileURLToPath(import.meta.url);

const image = () =>
  new Attachment({ data: new Blob([bytes]), filename: 'ä b.png', contentType: 'image/png' });

const logger = initLogger({ projectName: 'attachments' });
logger.traced((span) =>
  span.log({
    input: { image: image() },
    output: new JSONAttachment({ long: 'text' }, { filename: 'answer.json' }),
  }),
);
await logger.flush();

const dataset = initDataset({ project: 'attachments', dataset: 'files' });
dataset.insert({
  id: 'file',
  input: new Attachment({ data: file, filename: 'program.mjs', contentType: 'text/javascript' }),
});
await dataset.flush();

const experiment = init('attachments', { experiment: 'with images' });
experiment.log({ id: 'e', input: { image: image() }, output: 'o', scores: {} });
await experiment.flush();

const isSame = async (attachment, content) =>
  Buffer.from(await (await attachment.data()).arrayBuffer()).equals(Buffer.from(content));

const downloads = {};
for await (const { input } of initDataset({ project: 'attachments', dataset: 'files' })) {
  downloads.file = await isSame(input, await readFile(file));
  downloads.status = await input.status();
}
for await (const { input } of init('attachments', {
  experiment: 'with images',
  open: true,
}).asDataset()) {
  downloads.image = await isSame(input.image, bytes);
  downloads.address = (await input.image.asBase64Url()).slice(0, 22);
}

// The type of a file whose name does not tell it.
const { type: contentType } = new File([], 'notes');
const notes = new Attachment({ data: new Blob(['text']), filename: 'notes', contentType });
downloads.upload = await notes.upload();
downloads.notes = await isSame(new ReadonlyAttachment(notes.reference), 'text');

report({ projectId: (await logger.project).id, downloads });
