/** Debian's chromium, with a fresh profile, driven by playwright-core. Nothing it says on its console goes unnoticed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const flags = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
const shots = join(import.meta.dirname, '../../test-output/page');
const axeSource = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });
}

export interface Look {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly stillness?: boolean;
}

export interface Opened {
  readonly page: Page;
  /** Errors of the console and of the page so far. */
  readonly errors: string[];
  /** Everything the page asked for. */
  readonly requests: string[];
}

/** `before` runs in the page before anything of it does. */
export async function openPage(browser: Browser, url: string, look: Look = {}, before?: string): Promise<Opened> {
  const { theme = 'dark', width = 1440, height = 900, stillness = false } = look;
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: stillness ? 'reduce' : 'no-preference',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(`${error.message}\n${error.stack}`));
  page.on('request', (request) => requests.push(request.url()));
  page.on('websocket', (socket) => requests.push(socket.url()));
  if (before !== undefined) await page.addInitScript(before);
  await page.goto(url);
  await page.locator('.app').waitFor();
  return { page, errors, requests };
}

/** Kept for people to look at, never compared: only with `MUR_TEST_SHOTS` set, since a shot takes half a second. */
export async function keepShot(page: Page, name: string): Promise<void> {
  if (process.env.MUR_TEST_SHOTS === undefined) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

/** Measured numbers, kept as an artifact of the run. */
export function record(name: string, measured: unknown): void {
  mkdirSync(shots, { recursive: true });
  writeFileSync(join(shots, `${name}.json`), `${JSON.stringify(measured, null, 2)}\n`);
}

export interface Shift {
  readonly value: number;
  /** Milliseconds after the page was asked for. */
  readonly at: number;
  readonly what: readonly string[];
}

/** Every shift the browser saw from the start of the page on, with what moved. */
export const watchShifts = `globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const what = entry.sources.map(({ node, previousRect: a, currentRect: b }) =>
      (node?.className || node?.parentElement?.className || node?.nodeName) + ' ' + [a.x, a.y, a.width, a.height] + ' to ' + [b.x, b.y, b.width, b.height]);
    globalThis.shifts.push({ value: entry.value, at: entry.startTime, what });
  }
}).observe({ type: 'layout-shift', buffered: true });`;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[];
}

/** What axe finds wrong, one line each; `colours` leaves out what no theme changes. */
export async function accessibilityFaults(page: Page, colours = false): Promise<string[]> {
  // Through the debugger, because the page's own policy refuses scripts from elsewhere.
  const { readFileSync } = await import('node:fs');
  await page.evaluate(readFileSync(axeSource, 'utf8'));
  const options = JSON.stringify(colours ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {});
  const found = await page.evaluate<Violation[]>(`axe.run(document, ${options}).then(({ violations }) => violations)`);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target}: ${failureSummary}`),
  );
}
