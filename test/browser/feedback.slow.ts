// Feedback on a span, in a real browser: it is stored once, as it is meant.
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { createProject } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { openPage, sharedBrowser } from './browser.js';

describe('feedback in the console', () => {
  const server = sharedServer();
  const browser = sharedBrowser();
  let log: string;
  before(async () => {
    log = (await createProject(server(), { name: 'judged' })).id;
    const events = [
      { id: 'a', span_id: 'a', root_span_id: 'a', input: 'one' },
      { id: 'b', span_id: 'b', root_span_id: 'b', scores: { ' padded ': 0.25 } },
    ];
    await server().insert(`project_logs/${log}`, events);
  });

  const stored = async () => {
    const path = `/v1/project_logs/${log}/feedback?event_id=a`;
    const { comments } = (await server().request('GET', path)).json();
    return (comments as readonly { comment: string }[]).map(({ comment }) => comment);
  };

  it('is stored once, however often it is sent before the answer', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const hold = new EventEmitter();
    const held = once(hold, 'answer');
    await page.route('**/feedback', async (route) => {
      await held;
      await route.continue();
    });
    await open('evalstore/p/judged/logs?r=a');
    await page.getByRole('heading', { name: 'feedback' }).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('well done');
    await page.getByRole('button', { name: 'Comment', exact: true }).dblclick();
    const field = page.getByRole('textbox', { name: 'Comment' });
    await field.press('Enter');
    await field.blur();
    hold.emit('answer');
    // Writes are sent one after the other.
    await page.keyboard.press('5');
    await page.locator('.feedback [role=status]').getByText('Saved “rating” 0.5').waitFor();
    expect(await stored()).to.deep.equal(['well done']);
    expectClean();
    await close();
  });

  it('has tags and names of scores without spaces around them, and none that are blank', async () => {
    const { page, open, expectClean, close } = await openPage(browser(), server());
    const status = page.locator('.feedback [role=status]');
    await open('evalstore/p/judged/logs?r=a');
    await page.getByRole('heading', { name: 'feedback' }).waitFor();
    await page.keyboard.press('t');
    const tag = page.getByRole('textbox', { name: 'Tag' });
    await tag.fill('  ');
    await tag.press('Enter');
    await status.getByText('The tag is blank.', { exact: true }).waitFor();
    await tag.fill(' odd ');
    await tag.press('Enter');
    await status.getByText('Saved', { exact: true }).waitFor();
    await page.getByLabel('Score from 0 to 1').fill('0.5');
    const name = page.getByLabel('Name of the score');
    await name.fill('  ');
    await name.press('Enter');
    await status.getByText('The name is blank.', { exact: true }).waitFor();
    await name.fill(' tone ');
    await name.press('Enter');
    await status.getByText('Saved “tone” 0.5', { exact: true }).waitFor();
    const query = `select: tags, scores.tone as tone | from: project_logs('${log}') | filter: id = 'a'`;
    const { data } = (await server().request('POST', '/query', { query })).json();
    expect(data).to.deep.equal([{ tags: ['odd'], tone: 0.5 }]);
    // A name that a client gave stays as it is.
    await open('evalstore/p/judged/logs?r=b');
    await page.getByRole('heading', { name: 'feedback' }).waitFor();
    await page.keyboard.press('9');
    await status.getByText('Saved “ padded ” 1, was 0.25').waitFor();
    expectClean();
    await close();
  });
});
