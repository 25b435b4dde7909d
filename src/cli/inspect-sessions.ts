import { join } from 'node:path';
import { MurError, reasonOf, Secret, toMurError } from '../errors/index.js';
import { readConfigFile, secretsIn } from '../home/config.js';
import { type MurmurHome, murmurHome } from '../home/index.js';
import { bridge } from '../inspect/relay/bridge.js';
import {
  endedTargets,
  frameSink,
  openServer,
  type RelayOptions,
  relay,
  runningTargets,
  type Target,
  targetsOf,
} from '../inspect/relay/index.js';
import { SecretTexts } from '../inspect/secrets.js';
import { looksLikeCredential } from '../policy/patterns.js';
import type { CliContext, ExitStatus } from './context.js';
import type { InspectFlags } from './inspect.js';
import { openBrowser } from './inspect-browser.js';
import { errorText } from './output.js';
import { styleFor, wantsColor } from './style.js';

/** `mur inspect`: shows sessions until it is interrupted, or, under `--json`, until there is nothing more to show. */
export async function inspectSessions(flags: InspectFlags, context: CliContext): Promise<ExitStatus> {
  const { stderr, env } = context;
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  for (const signal of signals) process.once(signal, interrupt);
  try {
    const options = relayOptions(flags, murmurHome(env), env);
    if (flags.json === true) await printFrames(options, context, interrupted.signal);
    else if (flags.bridge !== undefined) await sendFrames(options, flags.bridge, context, interrupted.signal);
    else await servePage(options, flags, context, interrupted.signal);
    return 0;
  } catch (error) {
    const failure = toMurError(error);
    const style = styleFor(wantsColor({ isTerminal: stderr.isTerminal, env, noColor: !flags.color }));
    stderr.write(errorText(failure, style));
    return failure.exit;
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}

const signals = ['SIGINT', 'SIGTERM'] as const;

function relayOptions(flags: InspectFlags, home: MurmurHome, env: CliContext['env']): RelayOptions {
  const { redact: redactText } = new SecretTexts(secretsOf(home, env));
  // `mur inspect bundle FILE` reads as it is spoken; the file alone means the same.
  const addresses = flags.addresses[0] === 'bundle' ? flags.addresses.slice(1) : flags.addresses;
  if (flags.addresses.length > 0 && addresses.length === 0) {
    throw new MurError('E-IO-003', 'mur inspect bundle needs a file', { hint: 'mur inspect bundle FILE.murbundle' });
  }
  if (addresses.length > 0) {
    return { home, redactText, targets: targetsOf(addresses, home), isOpen: flags.all === true };
  }
  const running = runningTargets(home);
  return { home, redactText, targets: [...running, ...endedToo(flags, home, running)], isOpen: true };
}

function endedToo(flags: InspectFlags, home: MurmurHome, running: readonly Target[]): Target[] {
  if (flags.all === true) return endedTargets(home);
  return running.length > 0 ? [] : endedTargets(home, 1);
}

/** What this process can know of keys that a record may hold: those of the config file and of its own environment. */
function secretsOf(home: MurmurHome, env: CliContext['env']): () => readonly Secret[] {
  const configured = secretsIn(readConfigFile(join(home.root, 'config.yaml')));
  const named = Object.entries(env)
    .filter(([name, value = '']) => looksLikeCredential(name) && value.trim().length >= shortestSecret)
    .map(([, value = '']) => new Secret(value.trim()));
  const secrets = [...configured, ...named];
  return () => secrets;
}

const shortestSecret = 6;

async function servePage(
  options: RelayOptions,
  flags: InspectFlags,
  { stderr, env }: CliContext,
  signal: AbortSignal,
): Promise<void> {
  const server = await openServer({ port: flags.port, show: (sink) => relay(options, sink) });
  try {
    const isOpened = flags.open && (await openBrowser(server.link(), env));
    stderr.write(isOpened ? 'inspect: the page opens in your browser; Ctrl-C ends it\n' : '');
    // Also when it was opened: the browser may be on another screen.
    stderr.write(`inspect: ${server.link()}\n`);
    await aborted(signal);
  } finally {
    await server.close();
  }
}

async function printFrames(options: RelayOptions, { stdout }: CliContext, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const isOpen = options.isOpen && options.targets.length === 0;
  signal.addEventListener('abort', () => ended.abort(), { once: true });
  // Also when only the reader left: a stream that failed never drains.
  const lose = (): void => ended.abort();
  stdout.stream.once('error', lose);
  const sink = frameSink(
    ended.signal,
    (frame) => stdout.write(`${JSON.stringify(frame)}\n`),
    () => stdout.stream.writableNeedDrain,
  );
  try {
    await relay({ ...options, isOpen }, sink);
  } finally {
    stdout.stream.off('error', lose);
  }
}

async function sendFrames(
  options: RelayOptions,
  url: string,
  { stderr }: CliContext,
  signal: AbortSignal,
): Promise<void> {
  if (!URL.canParse(url) || !/^wss?:$/.test(new URL(url).protocol)) {
    throw new MurError('E-IO-003', `--bridge must be a websocket address such as ws://127.0.0.1:8080; got '${url}'`);
  }
  try {
    await bridge(options, url, signal, () => stderr.write(`inspect: sending to ${url}; Ctrl-C ends it\n`));
  } catch (error) {
    throw new MurError('E-IO-003', `the inspector at ${url} cannot be reached: ${reasonOf(error)}`, { cause: error });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
