// biome-ignore-all lint/performance/useDomNodeTextContent: what people see, not what the document holds
/** Every view of one real session in which much goes wrong, on a wide screen, a small one and a telephone, in light and dark. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityFaults, keepShot, launchBrowser, type Opened, openPage } from './browser.js';
import { rehearsal, Sandbox, type Started } from './cli.js';

const name = 'night-watch-of-a-pump-station-with-a-long-name';
const log = Array.from({ length: 60 }, (_, line) => `02:${10 + line} WARN  inlet ${line} mbar below the limit\n`).join(
  '',
);
const tool = 'mur-tool-files';
const turns = [
  {
    think:
      'My folder is empty, so I write first what I was told. Then I read it again, to be sure that nothing was lost.',
    say: 'I keep the log and read it again.',
    call: [
      { tool, input: { action: 'write', path: 'logs/pump.log', content: log } },
      { tool, input: { action: 'read', path: 'logs/pump.log' } },
    ],
  },
  {
    say: 'Now one that is not there.',
    call: { tool, input: { action: 'read', path: `logs/${'missing-'.repeat(12)}.log` } },
  },
  { say: 'And one that the tool does not take.', call: { tool, input: { action: 'dance', path: '../../etc/passwd' } } },
  { say: 'Once more.', call: { tool, input: { action: 'list', path: '.' } } },
  { say: 'And one without its input.', call: { tool, input: { path: 'logs' } } },
];

let browser: Browser;
let sandbox: Sandbox;
let watching: Started;
let opened: Opened;

beforeAll(async () => {
  browser = await launchBrowser();
  sandbox = new Sandbox();
  const manifest = JSON.parse(rehearsal(turns)) as { inference: object };
  sandbox.manifest(JSON.stringify({ ...manifest, name, inference: { ...manifest.inference, max_turns: 5 } }));
  const ran = await sandbox.run(['run', '--task', 'Keep the log of the night, and say what is in it.']);
  expect(ran.stdout).toContain('status:  max_turns_reached');
  watching = sandbox.start(['inspect', '--no-open', '@1']);
  let text = '';
  watching.child.stderr!.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await watching.seen(() => /inspect: http\S+\s/.test(text));
  // The address works once: one page for all.
  opened = await openPage(browser, /inspect: (http\S+)/.exec(text)![1]!, { stillness: true });
});
afterAll(async () => {
  watching?.child.kill('SIGINT');
  await watching?.ended;
  sandbox?.remove();
  await browser.close();
});

const views = ['Chart', 'Calls', 'Messages', 'Events', 'Conversation', 'State', 'Session'] as const;

async function choose(page: Page, view: (typeof views)[number]): Promise<string> {
  await page.getByRole('tab', { name: new RegExp(`^${view}`) }).click();
  const panel = page.getByRole('tabpanel', { name: new RegExp(`^${view}`) });
  await panel.waitFor();
  return panel.innerText();
}

const screens = [
  { screen: 'wide', width: 1440, height: 900 },
  { screen: 'small', width: 1024, height: 768 },
  { screen: 'phone', width: 390, height: 844 },
] as const;

describe.each(['light', 'dark'] as const)('in %s', (theme) => {
  // The screens differ in layout, the themes in colour: the other theme is looked at on the screen that shows most.
  test.each(screens.filter(({ screen }) => theme === 'light' || screen === 'wide'))(
    'on a $screen screen, no view is cut off, and axe finds nothing wrong in any',
    async ({ screen, width, height }) => {
      const { page, errors } = opened;
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.reload();
      await page.locator('.bars .bar.tool').last().waitFor({ state: 'attached' });
      for (const view of views) {
        await choose(page, view);
        expect(await page.evaluate('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(width);
        await keepShot(page, `views-${theme}-${screen}-${view.toLowerCase()}`);
        expect(await accessibilityFaults(page, theme === 'dark'), view).toEqual([]);
      }
      await page.getByRole('slider', { name: 'Moment' }).fill('500');
      for (const view of screen === 'wide' ? views : []) {
        await choose(page, view);
        expect(await accessibilityFaults(page, theme === 'dark'), `${view} in time travel`).toEqual([]);
      }
      await keepShot(page, `views-${theme}-${screen}-past`);
      await page.getByRole('button', { name: new RegExp(name) }).click();
      await page.getByRole('navigation', { name: 'Sessions' }).waitFor();
      expect(await accessibilityFaults(page, theme === 'dark'), 'the list of sessions').toEqual([]);
      await keepShot(page, `views-${theme}-${screen}-sessions`);
      await page.getByRole('button', { name: 'Keyboard help' }).click();
      await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
      expect(await accessibilityFaults(page, theme === 'dark'), 'the help').toEqual([]);
      await keepShot(page, `views-${theme}-${screen}-help`);
      expect(errors).toEqual([]);
    },
  );
});

test('what went wrong and what was refused is told with when, code and hint; so is what holds the session', async () => {
  const { page } = opened;
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
  const session = await choose(page, 'Session');
  for (const part of [
    'Gone',
    'max_turns_reached',
    'E-RUN-',
    'advisory',
    'memory_bytes',
    'tool_input_refused',
    "its input lacks 'action'",
  ])
    expect(session).toContain(part);
  await keepShot(page, 'views-troubled-session');
  const story = await choose(page, 'Conversation');
  for (const part of ['thinking', 'My folder is empty', 'untrusted · tool:mur-tool-files', 'show all (', 'error']) {
    expect(story.toLowerCase()).toContain(part.toLowerCase());
  }
  const calls = await choose(page, 'Calls');
  expect(calls).toMatch(/mur-tool-files[\s\S]*\d m?s\n[\s\S]*kB → \d+ B/);
});
