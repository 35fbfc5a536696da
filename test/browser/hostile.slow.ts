// What clients may log, however odd, is shown whole and does nothing; and traces that were looked at leave no memory behind.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';
import { loadSupportBot, traces } from './support-bot.js';

const script = '<script>document.title="owned"</script>';
const image = '![x](https://evil.example/x.png) <img src="https://evil.example/y.png">';

/** The same question and call of a tool in the shapes of several clients. */
const conversations = {
  openai: {
    messages: [
      { role: 'user', content: `Weather? ${script}` },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"at":"Rome"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: `Sunny ${image}` },
    ],
  },
  anthropic: [
    { role: 'user', content: [{ type: 'text', text: 'Weather in Rome?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I look it up.' },
        { type: 'tool_use', id: 't1', name: 'weather', input: { at: 'Rome' } },
        { type: 'from_the_future', payload: { digits: 42 } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: script }] },
      ],
    },
  ],
};

const heap = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
};

const openRow = async (page: Page, name: string) => {
  await page.getByRole('row').filter({ hasText: name }).first().click();
  const detail = page.getByRole('region', { name: 'Span' });
  await detail.waitFor();
  return detail;
};

describe('what was logged, in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  const log = async (project: string, events: readonly object[] | string) => {
    const body = typeof events === 'string' ? events : JSON.stringify({ events });
    const { id } = (await server().request('POST', '/v1/project', { name: project })).json();
    const answer = await server().request('POST', `/v1/project_logs/${String(id)}/insert`, body);
    expect(answer.status, answer.text).to.equal(200);
  };
  it('shows conversations of any client, their tools and what is not known in them', async () => {
    await log(
      'chats',
      Object.entries(conversations).map(([name, input]) => ({
        input,
        span_attributes: { name },
      })),
    );
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/chats/logs');
    const openai = await openRow(page, 'openai');
    for (const text of [script, 'evil.example', 'tool call', 'Rome'])
      await openai.getByText(text).first().waitFor();
    await page.keyboard.press('Escape');
    const anthropic = await openRow(page, 'anthropic');
    for (const text of [
      'Weather in Rome?',
      'thinking',
      'tool_use',
      'from_the_future',
      '42',
      'document.title',
    ])
      await anthropic.getByText(text).first().waitFor();
    expect(await page.locator('#console script, #console img').count()).to.equal(0);
    expect(await page.title()).to.equal('Logs · chats · Evalstore');
    expectClean();
    await close();
  });

  it('shows texts that run from right to left, controls and lone surrogates beside others', async () => {
    const input = 'שלום \u202Egnp.exe\u202C مرحبا \u0000\u0007 \uD800 end';
    await log('odd', [{ input, output: 'plain', span_attributes: { name: '\u202Eeman' } }]);
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/odd/logs');
    const detail = await openRow(page, 'plain');
    await detail.getByText('gnp.exe').first().waitFor();
    // What is turned around stays within its cell.
    const direction = await page.evaluate(
      `getComputedStyle(document.querySelector('.grid-row bdi')).unicodeBidi`,
    );
    expect(direction).to.equal('isolate');
    expectClean();
    await close();
  });

  it('shows 1,000 levels of JSON and 5 MB in a field with few elements, and a chain of 1,000 spans', async () => {
    const levels = 995;
    const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const chain = Array.from({ length: 1000 }, (_, index) => ({
      id: `c${index}`,
      span_id: `c${index}`,
      root_span_id: 'c0',
      span_parents: index === 0 ? null : [`c${index - 1}`],
      span_attributes: { name: index === 0 ? 'chain' : `link ${index}` },
    }));
    const wide = JSON.stringify('x'.repeat(5_000_000));
    await log(
      'large',
      `{"events":[{"input":${deep},"span_attributes":{"name":"deep"}},{"input":${wide},"span_attributes":{"name":"wide"}},${JSON.stringify(chain).slice(1)}}`,
    );
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const nodes = () => page.evaluate<number>('document.querySelectorAll("*").length');
    await open('evalstore/p/large/logs');
    const detail = await openRow(page, 'deep');
    const lines = detail.getByRole('region', { name: 'input' });
    await lines.waitFor();
    await page.evaluate(
      `(() => { const one = document.querySelector('.lines[aria-label=input]'); one.scrollTop = (one.scrollHeight - one.clientHeight) / 2; })()`,
    );
    await lines.getByText('1', { exact: true }).waitFor();
    expect(await nodes()).to.be.below(1500);
    await page.keyboard.press('Escape');
    await (await openRow(page, 'wide')).getByText('4.8 MB').first().waitFor();
    expect(await nodes()).to.be.below(1500);
    await page.keyboard.press('Escape');
    await openRow(page, 'chain');
    await page.getByText('1,000 spans').waitFor();
    await page.getByRole('treeitem').first().focus();
    await page.keyboard.press('End');
    await page.getByRole('treeitem').getByText('link 999').waitFor();
    expect(await nodes()).to.be.below(1500);
    expectClean();
    await close();
  });

  it('leaves no memory behind after 500 traces were opened', async () => {
    await loadSupportBot(server());
    const { page, open, expectClean, close } = await openPage(browser(), server());
    await open('evalstore/p/support-bot/logs');
    await page.locator('.row-link').first().focus();
    await page.keyboard.press('Enter');
    const openNext = async (count: number) => {
      for (let opened = 0; opened < count; opened += 1) {
        const before = new URL(page.url()).searchParams.get('r')!;
        await page.locator(`[data-span-detail="${before}"]`).waitFor();
        // The next page is read while the last traces of the one before it are open.
        await page.getByRole('link', { name: 'Next trace' }).waitFor();
        await page.keyboard.press('N');
        await page.waitForURL((url) => url.searchParams.get('r') !== before);
      }
    };
    await openNext(60);
    // All rows are loaded before the memory is measured.
    await page.keyboard.press('Escape');
    for (let count = 250; count < traces + 200; count += 200) {
      const last = Math.min(count, traces) - 1;
      await page.keyboard.press('End');
      await page.locator(`[data-row="${last}"]:focus`).waitFor();
      if (last + 1 < traces) await page.locator(`[data-row="${last + 1}"]`).waitFor();
    }
    await page.keyboard.press('Home');
    await page.locator('[data-row="0"]:focus').waitFor();
    await page.keyboard.press('Enter');
    const first = await heap(page);
    await openNext(500);
    expect(await heap(page)).to.be.below(first * 1.5);
    expectClean();
    await close();
  });
});
