/** Nothing on the page jumps while a session runs: what is there stays where it is, and what is new takes room kept for it. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Frame } from '../../src/inspect/frame.js';
import { recorded, running } from '../inspect/page/frames.js';
import { type PageServer, servePage } from '../inspect/page/server.js';
import { type Look, launchBrowser, openPage, record, type Shift, watchShifts } from './browser.js';

let browser: Browser;
let server: PageServer | undefined;
let page: Page | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  await page?.context().close();
  await server?.close();
  page = undefined;
  server = undefined;
});

const told = recorded();
const times = told.frames.map((frame) => (frame as { at: number }).at);
const first = times[0]!;

/** The session as it happened, told from its first moment to its end in pieces of 60 ms. */
async function playAll(target: PageServer): Promise<void> {
  const began = Date.now();
  for (let told_ = 0; told_ < told.frames.length; ) {
    const until = times.findIndex((at) => at - first > Date.now() - began);
    const to = until < 0 ? told.frames.length : until;
    if (to > told_) target.send(told.frames.slice(told_, to) as Frame[]);
    told_ = to;
    await new Promise((done) => setTimeout(done, 60));
  }
  target.send([told.session]);
}

test.each([
  ['wide', {}],
  ['on a small screen', { width: 1024, height: 768 }],
  ['on a telephone', { width: 390, height: 844 }],
] as const satisfies readonly (readonly [string, Look])[])(
  'a session that runs from start to end shifts nothing, %s',
  async (name, look) => {
    server = await servePage(() => [told.hello, ...told.defs, running(told.session), told.frames[0]!]);
    page = (await openPage(browser, server.url, look, watchShifts)).page;
    await playAll(server);
    await page.locator('.mode.over').waitFor();
    await page.waitForTimeout(200);
    const shifts = await page.evaluate<Shift[]>('globalThis.shifts');
    record(`shifts-${name.replaceAll(' ', '-')}`, { sum: shifts.reduce((sum, { value }) => sum + value, 0), shifts });
    expect(shifts).toEqual([]);
  },
);
