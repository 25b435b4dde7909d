/** Nothing on the page jumps while a session runs: what is there stays where it is, and what is new takes room kept for it. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Frame } from '../../src/inspect/frame.js';
import { recorded, running } from '../inspect/page/frames.js';
import { type PageServer, servePage } from '../inspect/page/server.js';
import { type Look, launchBrowser, openPage, record, type Shift, watchShifts } from './browser.js';

let browser: Browser;
let server: PageServer | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await server?.close();
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

const screens: Readonly<Record<string, Look>> = {
  wide: {},
  small: { width: 1024, height: 768 },
  telephone: { width: 390, height: 844 },
};

test('a session that runs from start to end shifts nothing, on any screen', async () => {
  server = await servePage(() => [told.hello, ...told.defs, running(told.session), told.frames[0]!]);
  const { url } = server;
  // All watch the same telling, because it takes as long as the session took.
  const pages: (readonly [string, Page])[] = [];
  for (const [name, look] of Object.entries(screens)) {
    pages.push([name, (await openPage(browser, url, look, watchShifts)).page]);
  }
  await playAll(server);
  const found: Record<string, readonly Shift[]> = {};
  for (const [name, page] of pages) {
    await page.locator('.mode.over').waitFor();
    await page.waitForTimeout(200);
    found[name] = await page.evaluate<Shift[]>('globalThis.shifts');
  }
  for (const [name, shifts] of Object.entries(found)) {
    record(`shifts-${name}`, { sum: shifts.reduce((sum, { value }) => sum + value, 0), shifts });
  }
  expect(found).toEqual({ wide: [], small: [], telephone: [] });
});
