// biome-ignore-all lint/performance/useDomNodeTextContent: what people see, not what the document holds
/** The page in front of real sessions: `mur run --inspect` while it runs, `mur inspect` after it has ended. */
import { resolve } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { keepShot, launchBrowser, type Opened, openPage, record, type Shift, watchShifts } from './browser.js';
import { rehearsal, Sandbox, type Started } from './cli.js';

let browser: Browser;
let sandbox: Sandbox;
let opened: Opened | undefined;
let watching: Started | undefined;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(async () => {
  await opened?.page.context().close();
  watching?.child.kill('SIGINT');
  await watching?.ended;
  sandbox.remove();
  opened = undefined;
  watching = undefined;
});

const turns = [
  {
    think: 'A look around comes first.',
    say: 'I write a note.',
    call: { tool: 'mur-tool-files', input: { action: 'write', path: 'note.txt', content: 'the valve is shut\n' } },
  },
  {
    say: 'Now I read it again, slowly, so that somebody can watch.',
    delay_ms: 60,
    call: { tool: 'mur-tool-files', input: { action: 'read', path: 'note.txt' } },
  },
  { expect: 'the valve is shut', say: 'The valve is shut, which is why the pump stopped.', delay_ms: 60 },
];

const demo = resolve(import.meta.dirname, '../../examples/first');

/** The address a command tells on stderr. */
async function addressOf(started: Started): Promise<string> {
  let text = '';
  started.child.stderr!.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await started.seen(() => /inspect: http\S+\s/.test(text));
  return /inspect: (http\S+)/.exec(text)![1]!;
}

/** A session that waits for its task, so that it is watched from its first words whatever a browser takes to start. */
function startWatched(...args: string[]): Started {
  return sandbox.start(['run', '--inspect', ...args], { MURMUR_A2A_TIMEOUT_SECS: '120' });
}

/** Gives it the task. */
async function ask(run: Started): Promise<void> {
  const message = { messageId: 'm1', role: 'user', parts: [{ text: 'Why did the pump stop?' }] };
  const sent = await fetch(`http://${await run.line('murmur: url ')}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }),
  });
  expect(await sent.json()).toMatchObject({ result: { status: { state: 'submitted' } } });
}

const cards = (page: Page) => page.locator('.call').allInnerTexts();

test('a running session is seen from its first words to its end, with what its tools were given and gave', async () => {
  const manifest = sandbox.manifest(rehearsal(turns));
  const run = startWatched('--manifest', manifest);
  opened = await openPage(browser, await addressOf(run));
  const { page, errors } = opened;
  expect(new URL(page.url()).search).toBe('');
  await page.locator('.mode.live').waitFor();
  await ask(run);
  await page.locator('.stage .state.on[data-id="turn.inferring"]').waitFor();
  await keepShot(page, 'real-live');
  await page.locator('.task', { hasText: 'Why did the pump stop?' }).waitFor();
  await page.locator('.mode.over').waitFor();
  expect((await run.ended).code).toBe(0);

  const [write, read] = await cards(page);
  expect(write).toContain('the valve is shut');
  expect(write).toContain('created note.txt');
  expect(read).toContain('untrusted · tool:mur-tool-files');
  await page
    .getByRole('button', { name: /^Tool mur-tool-files read note\.txt/ })
    .first()
    .click();
  await page.locator('.mode.past').waitFor();
  expect(await page.locator('.call.chosen').innerText()).toContain('note.txt');
  // Long enough to have a moment of its own whatever the machine is busy with; states of shorter ones may be told as one.
  await page.getByRole('button', { name: /^Model turn 2: ok/ }).click();
  await page.locator('.stage .state.on[data-id="turn.inferring"]').waitFor();
  await keepShot(page, 'real-scrubbed');
  expect(errors).toEqual([]);
});

test('a session that ended is opened from its records, and scrubbed through', async () => {
  const manifest = sandbox.manifest(rehearsal(turns.map((turn) => ({ ...turn, delay_ms: 1 }))));
  expect((await sandbox.run(['run', '--manifest', manifest, '--task', 'Why did the pump stop?'])).code).toBe(0);
  watching = sandbox.start(['inspect', '--no-open', '@1']);
  opened = await openPage(browser, await addressOf(watching), { theme: 'light' });
  const { page, errors } = opened;
  await page.locator('.mode.over').waitFor();
  await page.locator('.stage .state.on[data-id="session.ended"]').waitFor();
  expect((await cards(page))[0]).toContain('created note.txt');
  await page.keyboard.press('7');
  expect(await page.getByRole('tabpanel', { name: 'Session' }).innerText()).toContain('Gone');
  await page.keyboard.press('Home');
  await page.locator('.stage .state.on[data-id="session.staging.validating"]').waitFor();
  await page.keyboard.press('Shift+ArrowRight');
  await page.locator('.stage .state.on[data-id="turn.inferring"]').waitFor();
  await keepShot(page, 'real-ended');
  expect(errors).toEqual([]);
});

test('a newcomer sees the chart move, finds what a tool was given and gave, and goes back to it, by what is written on the page', async () => {
  sandbox.copy(demo, 'project');
  // Once before, as `npm run demo` does it: the first run of all compiles the tools.
  expect((await sandbox.run(['run', '--task', 'Why did the pump stop?'])).code).toBe(0);
  const run = startWatched();
  const address = await addressOf(run);
  const began = performance.now();
  const passed: Record<string, number> = {};
  const reached = (step: string) => {
    passed[step] = Math.round(performance.now() - began);
  };
  opened = await openPage(browser, address, {}, watchShifts);
  const { page, errors } = opened;
  let clicks = 0;
  const click = async (what: Locator) => {
    clicks += 1;
    await what.click();
  };

  // The chart says by its name what it shows; without a click it says something else a moment later.
  const chart = page.getByRole('img', { name: /^Chart of / }).first();
  await chart.waitFor();
  reached('page ready');
  await ask(run);
  const names = new Set<string | null>();
  await expect
    .poll(async () => names.add(await chart.getAttribute('aria-label')).size, { interval: 15 })
    .toBeGreaterThan(2);
  reached('chart moved');

  // The conversation is open, and so are its tool calls.
  const conversation = page.getByRole('region', { name: 'Conversation' });
  const call = conversation.getByRole('button', { name: /^mur-tool-files search / });
  await call.waitFor();
  const card = conversation.getByRole('article', { name: /^mur-tool-files search / });
  await expect.poll(() => card.innerText()).toMatch(/Input[\s\S]*WARN\|STOP[\s\S]*Output[\s\S]*dry-run protection/);
  reached('input and output read');
  const shifts = await page.evaluate<Shift[]>('globalThis.shifts');

  await click(call);
  await page
    .getByRole('status')
    .getByText(/^time travel/)
    .waitFor();
  await page.getByRole('img', { name: /^Chart of tool-call 1, now in running/ }).waitFor();
  expect(await card.isVisible()).toBe(true);
  reached('back at the call');
  await keepShot(page, 'newcomer');

  await click(page.getByRole('button', { name: /^back to/ }));
  await page
    .getByRole('status')
    .getByText(/^(live|ended)$/)
    .waitFor();
  reached('back at the end');

  record('newcomer', { clicks, passedMs: passed, shifts });
  expect(clicks).toBeLessThanOrEqual(3);
  // The times are in the artifact: ten seconds for all of it on a machine with nothing else to do.
  // The shifts are only recorded: what happened before the page came may move cards once. page-shift.test.ts holds a run watched
  // from its start at none.
  expect(errors).toEqual([]);
  expect((await run.ended).code).toBe(0);
});
