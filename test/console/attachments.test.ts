// Files in logged values: the shapes in which clients log them, and texts that only look like them.
import { expect } from 'chai';
import { findAttachments } from '../../src/console/screens/value/find-attachments.js';
import { bytesIn } from '../../src/console/screens/value/file-content.js';
import { expectTime } from '../support/processor-time.js';

const data = 'iVBORw0KGgo=';
const url = `data:image/png;base64,${data}`;
const address = 'https://files.example/cat.png';

type File = readonly string[];

/** Path, name, type, and content or address of each file. */
const filesIn = (value: unknown): readonly File[] =>
  findAttachments(typeof value === 'string' ? value : JSON.stringify(value)).map(
    ({ path, attachment: { name, contentType, content } }) =>
      [path, name, contentType].concat(Object.values(content)),
  );

const inline = (path: string, name: string, contentType: string): File => [
  path,
  name,
  contentType,
  'inline',
  data,
];

const whole = (name: string, contentType: string) => [inline('', name, contentType)];

describe('files in values', () => {
  it('are attachments of the SDKs', () => {
    const reference = { filename: 'a b.png', content_type: 'image/PNG; q=1' };
    expect(filesIn({ type: 'braintrust_attachment', key: 'k', ...reference })).to.deep.equal([
      ['', 'a b.png', 'image/png', 'stored', 'k'],
    ]);
    expect(filesIn({ type: 'external_attachment', url: 's3://b/c', ...reference })).to.deep.equal([
      ['', 'a b.png', 'image/png', 'elsewhere', 's3://b/c'],
    ]);
    expect(filesIn({ type: 'inline_attachment', src: address, ...reference })).to.deep.equal([
      ['', 'a b.png', 'image/png', 'elsewhere', address],
    ]);
    expect(filesIn({ type: 'base64_attachment', content: url })).to.deep.equal(
      whole('image.png', 'image/png'),
    );
  });

  it('are parts of messages of OpenAI', () => {
    const image_url = { url, detail: 'low' };
    expect(filesIn({ type: 'image_url', image_url })).to.deep.equal(
      whole('image.png', 'image/png'),
    );
    expect(filesIn({ type: 'input_image', image_url: url })).to.deep.equal(
      whole('image.png', 'image/png'),
    );
    expect(filesIn({ type: 'image_url', image_url: { url: address } })).to.deep.equal([
      ['', 'cat.png', '', 'elsewhere', address],
    ]);
    for (const [of, name] of [
      ['https://x', 'file'],
      ['https://x/', 'file'],
      ['https://x/a/b%20c.png?d=/e#f/', 'b%20c.png'],
    ])
      expect(filesIn({ type: 'input_image', image_url: of })[0]![1]).to.equal(name);
    expect(filesIn({ type: 'input_audio', input_audio: { data, format: 'wav' } })).to.deep.equal(
      whole('audio.wav', 'audio/wav'),
    );
    const file = { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` };
    expect(filesIn({ type: 'file', file })).to.deep.equal(whole('a.pdf', 'application/pdf'));
    expect(filesIn({ type: 'input_file', ...file })).to.deep.equal(
      whole('a.pdf', 'application/pdf'),
    );
    expect(filesIn({ data: [{ b64_json: data }] })).to.deep.equal([
      inline('data[0]', 'image.png', 'image/png'),
    ]);
  });

  it('are parts of messages of Anthropic, Gemini, the AI SDK and tool servers', () => {
    const source = { type: 'base64', media_type: 'image/jpeg', data };
    expect(filesIn({ type: 'image', source })).to.deep.equal(whole('image.jpg', 'image/jpeg'));
    const result = { type: 'tool_result', content: [{ type: 'image', source }] };
    expect(filesIn(result)).to.deep.equal([inline('content[0]', 'image.jpg', 'image/jpeg')]);
    expect(
      filesIn({
        type: 'document',
        title: 'T',
        source: { ...source, media_type: 'application/pdf' },
      }),
    ).to.deep.equal(whole('T', 'application/pdf'));
    expect(filesIn({ inlineData: { mimeType: 'image/webp', data } })).to.deep.equal(
      whole('image.webp', 'image/webp'),
    );
    expect(filesIn({ type: 'image', image: data, mediaType: 'image/gif' })).to.deep.equal(
      whole('image.gif', 'image/gif'),
    );
    expect(filesIn({ type: 'audio', data, mimeType: 'audio/mpeg' })).to.deep.equal(
      whole('audio.mp3', 'audio/mpeg'),
    );
  });

  it('are data URLs anywhere, each with its path', () => {
    const value = { question: 'What?', views: [{ a: [1, 'x', url] }, [url], 'data:,no'], z: url };
    expect(filesIn(value)).to.deep.equal(
      ['views[0].a[2]', 'views[1][0]', 'z'].map((path) => inline(path, 'image.png', 'image/png')),
    );
    expect(filesIn(JSON.stringify(url).replaceAll('/', String.raw`\/`))).to.deep.equal(
      whole('image.png', 'image/png'),
    );
  });

  it('are not texts and objects that are similar', () => {
    const file = { type: 'file', content: 'plain', content_type: 'text/plain' };
    for (const value of [
      'data:image/png;base64',
      `see ${url}`,
      'data:image/svg+xml,<svg/>',
      { type: 'image_url', image_url: {} },
      { type: 'image', source: { type: 'base64', data } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
      { type: 'braintrust_attachment', key: 7 },
      { type: 'external_attachment' },
      { type: ['image'], data: 1 },
      { type: 'file', content_type: 'text/plain', content: ['a'] },
      file,
    ])
      expect(filesIn(JSON.stringify(value)), JSON.stringify(value)).to.deep.equal([]);
  });

  it('are found below 1,000 levels, and in an object with many members', () => {
    const levels = 1000;
    const deep = `${'{"a":'.repeat(levels)}"${url}"${'}'.repeat(levels)}`;
    const [found] = findAttachments(deep);
    expect(found?.path).to.equal(Array(levels).fill('a').join('.'));
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`m${index}`, url]));
    expect(filesIn(wide)).to.have.length(1000);
  });

  it('are read once, also inside others', () => {
    const numbers = JSON.stringify(Array(100_000).fill(1));
    const nested = (type: string) =>
      `{"type":"${type}","file":`.repeat(900) + numbers + '}'.repeat(900);
    const [files, others] = [nested('file'), nested('none')];
    expect(findAttachments(files)).to.deep.equal([]);
    expectTime(
      'files',
      () => findAttachments(files),
      () => findAttachments(others),
      5,
    );
  });

  it('have the size of their content', () => {
    for (const length of [0, 1, 2, 3, 4, 100])
      expect(bytesIn(Buffer.alloc(length, 'x').toString('base64'))).to.equal(length);
  });
});
