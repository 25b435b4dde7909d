// biome-ignore-all lint/performance/useDomNodeTextContent: what people see, not what the document holds
/** A frame that is none, or a view that fails, is told of where it happened; everything else goes on. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Frame } from '../../src/inspect/frame.js';
import { ended, recorded, running, SESSION } from '../inspect/page/frames.js';
import { type PageServer, servePage } from '../inspect/page/server.js';
import { accessibilityFaults, keepShot, launchBrowser, type Opened, openPage } from './browser.js';

let browser: Browser;
let server: PageServer | undefined;
let opened: Opened | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  await opened?.page.context().close();
  await server?.close();
  opened = undefined;
  server = undefined;
});

const told = recorded();
const first = (told.frames[0] as { at: number }).at;
const task = (told.frames.find((frame) => frame.type === 'actor' && frame.name === 'task') as { id: string }).id;
const early = told.frames.filter((frame) => (frame as { at: number }).at - first <= 2_900);
const later = told.frames.filter((frame) => (frame as { at: number }).at - first > 2_900);

async function show(frames: readonly unknown[], before?: string): Promise<Page> {
  server = await servePage(() => frames as Frame[]);
  opened = await openPage(browser, server.url, {}, before);
  return opened.page;
}

const live = [told.hello, ...told.defs, running(told.session), ...early];
const seen = (page: Page, state: string) => page.locator(`.stage .state.on[data-id="${state}"]`).waitFor();

test('frames of a sender that is not our hub are left out and told of, and the session goes on', async () => {
  const page = await show(live);
  await seen(page, 'turn.inferring');
  const at = first + 2_950;
  server!.send([
    null,
    'text',
    { type: 'telepathy', q: 1, sys: SESSION, at },
    { type: 'def', q: 1, key: 'bad', id: 'turn', chart: { root: { states: 7 } }, layout: { nodes: 'none' } },
    { type: 'ev', q: 1, sys: SESSION, at: 'now', to: 'session', ev: { type: 'x' } },
    { type: 'snap', q: 1, sys: SESSION, at, id: task, snap: 'active', by: 'x', tr: [] },
    { type: 'trace', q: 1, sys: SESSION, at, line: { event_type: { toString: 1 } } },
    { type: 'note', q: 1, sys: SESSION, at, note: { type: 'turn.ended', taskId: [], turn: {} } },
    { type: 'message', q: 1, sys: SESSION, at, contextId: 'c', message: { id: 'm', role: 'tool', content: 'text' } },
    { ...told.session, capsule: null },
  ] as unknown as Frame[]);
  await page.getByRole('button', { name: '10 frames left out' }).waitFor();
  server!.send([...later, told.session]);
  await page.locator('.mode.over').waitFor();
  expect(await page.locator('.call').count()).toBe(6);
  await page.getByRole('button', { name: '10 frames left out' }).click();
  const problems = page.getByRole('list', { name: 'Errors and warnings' });
  expect(await problems.innerText()).toContain(
    '10 frames of the sender left out, the last was session with a wrong capsule.name',
  );
  await keepShot(page, 'broken-frames');
  expect(opened!.errors).toEqual([]);
});

test('a value that one view cannot show blanks neither that view nor the page', async () => {
  const page = await show(ended(told));
  const deep = `${'['.repeat(20_000)}{}${']'.repeat(20_000)}`;
  server!.sendText(
    `[{"type":"snap","q":99999,"sys":"${SESSION}","at":${told.session.at},"id":"session","by":"x","tr":[],"snap":{"s":"done","v":"ended","c":{"deep":${deep}}}}]`,
  );
  await page.getByRole('tab', { name: 'State' }).click();
  const broken = page.getByRole('alert');
  expect(await broken.innerText()).toMatch(/^State cannot be shown here\. .*call stack.* Try again$/);
  await seen(page, 'session.ended');
  expect(await accessibilityFaults(page)).toEqual([]);
  await keepShot(page, 'broken-view');
  await broken.getByRole('button', { name: 'Try again' }).click();
  await broken.waitFor();
  // At a moment before that value came, there is nothing wrong with it.
  await page.getByRole('slider', { name: 'Moment' }).fill('500');
  await broken.waitFor({ state: 'detached' });
  expect(await page.locator('.states').innerText()).toContain('inferring');
  await page.getByRole('tab', { name: 'Conversation' }).click();
  expect(await page.locator('.call').count()).toBe(6);
});

test.each([
  ['Events', 'Date.prototype.toLocaleTimeString'],
  ['Chart', 'DOMParser.prototype.parseFromString'],
])('an exception in %s is told of there, and every other view works', async (name, place) => {
  const page = await show(ended(told), `${place} = () => { throw new Error('planted'); };`);
  await page.getByRole('tab', { name }).click();
  expect(await page.getByRole('alert').innerText()).toContain(`${name} cannot be shown here. planted`);
  for (const other of ['Calls', 'Messages', 'State', 'Session', 'Conversation']) {
    await page.getByRole('tab', { name: other }).click();
    await page.getByRole('tabpanel', { name: other }).waitFor();
  }
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('slider', { name: 'Moment' }).fill('600');
  expect(await page.locator('.mode.past').innerText()).toContain('time travel');
  expect(opened!.errors.every((text) => text.includes('planted'))).toBe(true);
});

test('an exception in the timeline leaves everything above it in place', async () => {
  const plant = `const add = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (...rest) {
  if (this.className === 'tracks') throw new Error('planted');
  return add.apply(this, rest);
};`;
  const page = await show(ended(told), plant);
  const broken = page.getByRole('alert');
  expect(await broken.innerText()).toContain('The timeline cannot be shown here. planted');
  await seen(page, 'session.ended');
  await page.getByRole('button', { name: /search pattern/ }).click();
  expect(await page.locator('.call.chosen').innerText()).toContain('WARN|STOP');
});
