// Files in events: shown, played and saved where they are known to be harmless; loaded from no other server.
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { announce, upload, uploaded } from '../support/attachments.js';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';
import { expectImage, playedSeconds, png, wav } from './media.js';

const picture = png(320, 200);
const base64 = picture.toString('base64');

const openRow = async (page: Page, name: string): Promise<Locator> => {
  await page.getByRole('row').filter({ hasText: name }).first().click();
  const detail = page.getByRole('region', { name: 'Span' });
  await detail.waitFor();
  return detail;
};

const savedBy = async (page: Page, button: Locator) => {
  const saved = page.waitForEvent('download');
  await button.click();
  const file = await saved;
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
};

const reference = (key: string, filename: string, content_type = 'image/png') => ({
  type: 'braintrust_attachment',
  key,
  filename,
  content_type,
});

describe('files in events, in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  const log = async (project: string, events: readonly object[]) => {
    const { id } = (await server().request('POST', '/v1/project', { name: project })).json();
    const answer = await server().request('POST', `/v1/project_logs/${String(id)}/insert`, {
      events,
    });
    expect(answer.status, answer.text).to.equal(200);
  };

  it('shows an uploaded image with its name, type and size, and saves it', async () => {
    const key = await uploaded(server(), picture, { filename: 'a cat.png' });
    await log('uploads', [
      {
        input: { question: 'What is this?', image: reference(key, 'a cat.png') },
        output: 'A cat.',
        span_attributes: { name: 'vision' },
      },
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/uploads/logs');
    const detail = await openRow(page, 'vision');
    await expectImage(detail.getByRole('img', { name: 'a cat.png' }), 320);
    await detail.getByText(`image · image/png · ${picture.length} B`).waitFor();
    // The other members are there, too.
    await detail.getByText('What is this?').waitFor();
    const file = await savedBy(page, detail.getByRole('link', { name: 'Download a cat.png' }));
    expect(file.name).to.equal('a cat.png');
    expect(file.content.equals(picture)).to.equal(true);
    expectClean();
    await close();
  });

  it('shows inline images of every client as images, and their exact text as JSON', async () => {
    const url = `data:image/png;base64,${base64}`;
    const source = { type: 'base64', media_type: 'image/png', data: base64 };
    await log('inline', [
      {
        input: [
          { role: 'system', content: 'Describe.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Compare these.' },
              { type: 'image_url', image_url: { url } },
              { type: 'image', source },
            ],
          },
          {
            role: 'tool',
            content: [{ type: 'tool_result', content: [{ type: 'image', source }] }],
          },
        ],
        output: url,
        span_attributes: { name: 'inline' },
      },
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/inline/logs');
    await page.getByRole('gridcell').getByText('image.png', { exact: true }).waitFor();
    const detail = await openRow(page, 'inline');
    await detail.getByText('Compare these.').waitFor();
    const images = detail.getByRole('img', { name: 'image.png' });
    for (let index = 0; index < 4; index += 1) {
      await detail.locator('.attachment').nth(index).scrollIntoViewIfNeeded();
      await expectImage(images.nth(index), 320);
    }
    expect(await images.count()).to.equal(4);
    const output = detail.locator('.field-section').filter({
      has: page.getByRole('heading', { name: 'output' }),
    });
    expect(await output.innerText()).not.to.include(base64.slice(0, 20));
    const file = await savedBy(page, output.getByRole('button', { name: 'Download image.png' }));
    expect([file.name, file.content.equals(picture)]).to.deep.equal(['image.png', true]);
    await output.getByRole('button', { name: 'JSON' }).click();
    await output.getByRole('button', { name: 'show all' }).click();
    await output.getByText(url).waitFor();
    await output.getByRole('button', { name: 'Copy' }).click();
    await output.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(url);
    expectClean();
    await close();
  });

  it('shows an image of 5 MB in a conversation', async () => {
    const large = Buffer.concat([picture, Buffer.alloc(5_000_000, 'x')]).toString('base64');
    const url = `data:image/png;base64,${large}`;
    const content = [
      { type: 'text', text: 'It is large.' },
      { type: 'image_url', image_url: { url } },
    ];
    await log('large', [
      { input: [{ role: 'user', content }], span_attributes: { name: 'large' } },
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/large/logs');
    await page.getByRole('gridcell').getByText('It is large.', { exact: true }).waitFor();
    const detail = await openRow(page, 'large');
    await detail.getByRole('button', { name: 'Chat' }).waitFor();
    await detail.getByText('It is large.').waitFor();
    await expectImage(detail.getByRole('img', { name: 'image.png' }), 320);
    await detail.getByText('4.8 MB').waitFor();
    expectClean();
    await close();
  });

  it('shows images beside each other in a comparison, where words have a difference', async () => {
    const project = (await server().request('POST', '/v1/project', { name: 'compared' })).json();
    const ids: string[] = [];
    for (const [name, output] of [
      ['one', `data:image/png;base64,${base64}`],
      ['two', { image: `data:image/png;base64,${png(64, 64).toString('base64')}`, note: 'small' }],
    ]) {
      const body = { project_id: project['id'], name };
      const { id } = (await server().request('POST', '/v1/experiment', body)).json();
      ids.push(String(id));
      const events = [{ id: 'e', input: 'Draw a cat.', output, scores: { taste: 1 } }];
      await server().request('POST', `/v1/experiment/${String(id)}/insert`, { events });
    }
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open(`evalstore/p/compared/compare?e=${ids.join(',')}`);
    await page.locator('.row-link').first().click();
    const side = (name: string) => page.getByRole('region', { name, exact: true });
    await expectImage(side('one').getByAltText('image.png'), 320);
    await expectImage(side('two').getByAltText('image.png'), 64);
    await side('two').getByText('"small"').waitFor();
    expect(await page.locator('.diff').count()).to.equal(0);
    expectClean();
    await close();
  });

  it('enlarges an image by keyboard', async () => {
    const large = png(200, 1000).toString('base64');
    await log('tall', [
      { input: `data:image/png;base64,${large}`, span_attributes: { name: 'tall' } },
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/tall/logs');
    const detail = await openRow(page, 'tall');
    const image = detail.getByRole('img');
    await expectImage(image, 200);
    expect((await image.boundingBox())?.height).to.be.below(400);
    await detail.getByRole('button', { name: 'Enlarge image.png' }).focus();
    await page.keyboard.press('Enter');
    await detail.getByRole('button', { name: 'Reduce image.png' }).waitFor();
    expect((await image.boundingBox())?.height).to.equal(1000);
    expectClean();
    await close();
  });

  it('plays sound', async () => {
    const key = await uploaded(server(), wav(), {
      filename: 'call.wav',
      content_type: 'audio/wav',
    });
    const data = wav().toString('base64');
    await log('sound', [
      {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_audio', input_audio: { data, format: 'wav' } },
              reference(key, 'call.wav', 'audio/wav'),
            ],
          },
        ],
        span_attributes: { name: 'sound' },
      },
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/sound/logs');
    const detail = await openRow(page, 'sound');
    for (const name of ['audio.wav', 'call.wav']) {
      const player = detail.locator(`audio[aria-label="${name}"]`);
      await player.waitFor();
      expect(await playedSeconds(player)).to.equal(1);
    }
    expectClean();
    await close();
  });

  it('loads nothing from other servers, and runs nothing', async () => {
    const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const key = await uploaded(server(), '<script>alert(1)</script>', {
      filename: 'page.png',
      content_type: 'text/html',
    });
    const foreign = { type: 'image_url', image_url: { url: 'https://evil.example/x.png?secret' } };
    const external = {
      type: 'external_attachment',
      filename: 'b.png',
      content_type: 'image/png',
      url: 's3://bucket/b.png',
    };
    await log('hostile', [
      {
        input: {
          messages: [
            {
              role: 'user',
              content: [
                foreign,
                external,
                { type: 'image', source: { type: 'url', url: 'javascript:alert(1)' } },
                reference(key, 'page.png'),
              ],
            },
          ],
        },
        output: {
          svg: `data:image/svg+xml;base64,${Buffer.from(script).toString('base64')}`,
          page: `data:text/html;base64,${Buffer.from('<script>alert(1)</script>').toString('base64')}`,
          cut: `data:image/png;base64,${base64.slice(0, 27)}`,
          broken: 'data:image/png;base64,%%%',
          none: 'data:image/png;base64,',
        },
        span_attributes: { name: 'hostile' },
      },
    ]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    page.on('dialog', () => expect.fail('a script ran'));
    await open('evalstore/p/hostile/logs');
    const detail = await openRow(page, 'hostile');
    const link = detail.getByRole('link', { name: 'open it at evil.example' });
    expect(await link.getAttribute('rel')).to.equal('noreferrer noopener');
    expect(await link.getAttribute('target')).to.equal('_blank');
    await detail.getByText('s3://bucket/b.png').waitFor();
    const says = async (name: string, text: string) => {
      const card = detail.locator('.attachment').filter({ hasText: name });
      await card.scrollIntoViewIfNeeded();
      await card.getByText(text).waitFor();
    };
    const refusal = 'The browser cannot show this content as image/png.';
    await says('page.png', refusal);
    await says('cut · image/png', refusal);
    await says('none · image/png', refusal);
    await says('broken · image/png', 'Its base64 is broken.');
    expect(await detail.getByRole('img').count()).to.equal(0);
    expect(await detail.locator('[href^="javascript" i], iframe, object, embed').count()).to.equal(
      0,
    );
    const file = await savedBy(page, detail.getByRole('button', { name: 'Download image.svg' }));
    expect(file.content.toString()).to.equal(script);
    expectClean();
    await close();
  });

  it('says that an attachment is not uploaded yet, failed, or is not one that the user may read', async () => {
    const late = await announce(server(), { filename: 'late.png' });
    const failed = await announce(server(), { filename: 'failed.png' });
    await server().post('/attachment/status', {
      key: failed.key,
      status: { upload_status: 'error', error_message: 'The disk was full.' },
    });
    await log('states', [
      {
        input: [
          reference(late.key, 'late.png'),
          reference(failed.key, 'failed.png'),
          reference('nobody', 'other.png'),
          reference(`"'><script>`, '\uD800'),
        ],
        span_attributes: { name: 'states' },
      },
    ]);
    const { page, open, close } = await openPage(browser(), server());
    await open('evalstore/p/states/logs');
    const detail = await openRow(page, 'states');
    await detail.getByText('Its upload failed: The disk was full.').waitFor();
    const refusal = detail.getByText('There is no such attachment, or you may not read it.');
    await refusal.nth(1).waitFor();
    await detail.getByText('It is not uploaded yet.').waitFor();
    expect(await detail.getByRole('img').count()).to.equal(0);
    await upload(server(), late.address, picture);
    await detail.getByRole('button', { name: 'Check again' }).click();
    await expectImage(detail.getByRole('img', { name: 'late.png' }), 320);
    await close();
  });

  it('reads a file when it becomes visible, and only then', async () => {
    const content = `data:image/png;base64,${base64}`;
    const keys = await Promise.all(
      Array.from({ length: 30 }, () => uploaded(server(), png(64, 200), { filename: 'x.png' })),
    );
    await log('many', [
      {
        input: keys.map((key, index) => reference(key, `${index}.png`)),
        output: Array.from({ length: 300 }, () => content),
        span_attributes: { name: 'many' },
      },
    ]);
    const { page, open, requests, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/many/logs');
    const detail = await openRow(page, 'many');
    await expectImage(detail.getByRole('img', { name: '0.png', exact: true }), 64);
    const asked = () => requests.filter((url) => url.includes('/attachment?'));
    expect(asked().length).to.be.below(15);
    const blobs = () => page.locator('img[src^="blob:"]').count();
    expect(await blobs()).to.equal(0);
    const more = detail.getByRole('button', { name: 'Show more of 300 files' });
    await more.scrollIntoViewIfNeeded();
    await expectImage(detail.getByRole('img', { name: 'image.png' }).last(), 320);
    expect(await blobs()).to.be.below(10);
    expect(await page.evaluate('document.querySelectorAll("*").length')).to.be.below(1500);
    expectClean();
    await close();
  });
});
