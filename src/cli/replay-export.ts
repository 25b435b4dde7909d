/**
 * `mur replay --export`: a recorded session as one file to send to somebody.
 *
 * Three fences. The values of secrets this machine can name are replaced wherever they stand: credential-like variables of the
 * environment and of the project's `.env`, and the credentials of the config file. So is everything that has the form of a well-known
 * credential, and every text under a key that announces one. Last, the finished bytes are searched for the named secrets again, and
 * a bundle that holds one is not written.
 *
 * What was secret to the session itself is no longer there to be found: its log, its trace and what the conversation shows were written
 * without it. The bodies of requests and responses are verbatim, and stay behind.
 *
 * Does not stop: a secret that neither the session nor this machine knew, and that looks like none; one that was encoded, or cut into parts, by a tool.
 * Read what you send.
 */
import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { shownMessage } from '../effects/conversation.js';
import { MurError, reasonOf, Secret } from '../errors/index.js';
import { readConfigFile, secretsIn } from '../home/config.js';
import { withEnvFile } from '../home/env-file.js';
import type { MurmurHome } from '../home/index.js';
import { redactor } from '../inference/index.js';
import { findConversation, storeOf } from '../inspect/records/conversations.js';
import { isSecretKey, redact } from '../inspect/redact.js';
import { looksLikeCredential } from '../policy/index.js';
import {
  type BundleSource,
  bundleLines,
  EVENT_LOG_FILE,
  type LeftOut,
  type RecordedSession,
  type Scrub,
} from '../replay/index.js';
import { idTimeMs } from '../supervise/ids.js';
import { readJsonLines } from '../text/index.js';
import { TRACE_FILE } from '../trace/index.js';

type Environment = Readonly<Record<string, string | undefined>>;
type JsonObject = Readonly<Record<string, unknown>>;

const shortestSecret = 6;
const everything = {
  ...{ textChars: Number.POSITIVE_INFINITY, totalChars: Number.POSITIVE_INFINITY },
  ...{ items: Number.POSITIVE_INFINITY, depth: 200 },
};

/** Credentials that are known by their form. */
const credentialForms = [
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bAIza[0-9A-Za-z_-]{30,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=:\/\/)[^\s/:@]+:[^\s/@]+(?=@)/g,
];

export interface ExportRequest {
  readonly session: RecordedSession;
  readonly home: MurmurHome;
  readonly env: Environment;
  readonly file: string;
  readonly nowMs: number;
}

export interface Exported {
  readonly bytes: number;
  /** Named secrets that were looked for. */
  readonly secrets: number;
  /** Bodies of requests and responses that stay on this machine. */
  readonly blobs: LeftOut;
}

/** Writes the bundle, readable by its owner. `E-IO-003` when the file exists, `E-TRC-903` when a secret could not be taken out. */
export function exportBundle({ session, home, env, file, nowMs }: ExportRequest): Exported {
  const project = projectOf(session, home);
  const secrets = namedSecrets(home, env, project);
  const scrub = scrubber(secrets, env);
  const blobs = blobsOf(session);
  const lines = [...bundleLines({ ...sourceOf(session, home, project, nowMs), blobs }, scrub)];
  const text = `${lines.join('\n')}\n`;
  if (secrets.some((secret) => holds(text, secret))) {
    throw new MurError(
      'E-TRC-903',
      `the bundle of ${session.sessionId} would hold a secret that could not be taken out`,
      {
        hint: 'a number or a name in the session is the value of a credential; nothing was written',
      },
    );
  }
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new MurError('E-IO-003', `${file} exists already`, { hint: 'give another name, or remove it first' });
    }
    rmSync(file, { force: true });
    throw new MurError('E-IO-003', `failed to write ${file}: ${reasonOf(error)}`, { cause: error });
  }
  return { bytes: Buffer.byteLength(text), secrets: secrets.length, blobs };
}

function sourceOf(
  session: RecordedSession,
  home: MurmurHome,
  project: string | undefined,
  nowMs: number,
): BundleSource {
  const { sessionId, recordsDir } = session;
  const trace = objectsOf(join(recordsDir, TRACE_FILE));
  const manifest = project === undefined ? undefined : textOf(join(project, 'murmur.yaml'));
  return {
    ...{ sessionId, exportedAt: nowMs, trace },
    ...(manifest === undefined ? {} : { manifest: { name: 'murmur.yaml', text: manifest } }),
    events: objectsOf(join(recordsDir, EVENT_LOG_FILE)),
    conversations: conversationsOf(home, sessionId, trace),
  };
}

function blobsOf({ recordsDir }: RecordedSession): LeftOut {
  const folder = join(recordsDir, 'blobs');
  const names = attempt(() => readdirSync(folder)) ?? [];
  const sizes = names.map((name) => attempt(() => lstatSync(join(folder, name)).size) ?? 0);
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** The folder of the manifest, when the work folders of the session were made beside it. */
function projectOf({ recordsDir }: RecordedSession, home: MurmurHome): string | undefined {
  const group = dirname(recordsDir);
  const workdir = group.startsWith(home.records + sep) ? group.slice(home.records.length) : '';
  return workdir.endsWith(`${sep}workdir`) ? dirname(workdir) : undefined;
}

/** Messages of this session in the conversations its tasks belong to: other sessions may share them. */
function conversationsOf(
  home: MurmurHome,
  sessionId: string,
  trace: readonly JsonObject[],
): BundleSource['conversations'] {
  const from = idTimeMs(sessionId) ?? 0;
  const to = Math.max(from, ...trace.map(({ timestamp }) => (typeof timestamp === 'number' ? timestamp : 0)));
  const contexts = new Set(
    trace.flatMap((line) => (line.event_type === 'task_start' ? [String(line.context_id)] : [])),
  );
  const store = storeOf(trace.find((line) => line.event_type === 'session_start'));
  return [...contexts].flatMap((context) => {
    const path = findConversation(home, store, context);
    if (path === undefined) return [];
    return objectsOf(path)
      .filter(({ id }) => {
        const at = typeof id === 'string' ? idTimeMs(id) : undefined;
        return at !== undefined && at >= from && at <= to;
      })
      .map((line) => ({ context, line: shownMessage(line) }));
  });
}

/** Secrets of this machine by value. A file that cannot be read names none. */
function namedSecrets(home: MurmurHome, env: Environment, project: string | undefined): string[] {
  const folders = [process.cwd(), ...(project === undefined ? [] : [project])];
  const variables = folders.flatMap((folder) => Object.entries(attempt(() => withEnvFile(env, folder)) ?? env));
  const named = variables.filter(([name]) => looksLikeCredential(name)).map(([, value = '']) => value.trim());
  const config = attempt(() => readConfigFile(join(home.root, 'config.yaml')));
  const keys = secretsIn(config).map((secret) => secret.reveal());
  return [...new Set([...named, ...keys])].filter((value) => value.length >= shortestSecret);
}

function scrubber(secrets: readonly string[], env: Environment): Scrub {
  const named = redactor(secrets.map((secret) => new Secret(secret)));
  const user = env.HOME ?? '';
  const text = (raw: string): string => {
    const formed = credentialForms.reduce((shown, form) => shown.replace(form, '[redacted]'), named(raw));
    return user.length > shortestSecret ? formed.replaceAll(user, '~') : formed;
  };
  return {
    text: (raw) =>
      text(raw).replace(
        /([\w-]+)(["']?\s*:\s*)([^\s,}#][^,}\n]*)/g,
        (whole, key: string, colon: string, value: string) =>
          isSecretKey(key) && !value.startsWith('"${') && !value.startsWith('${') ? `${key}${colon}[redacted]` : whole,
      ),
    value: (value) => redact(value, text, everything).value as JsonObject,
  };
}

/** Also as JSON writes it. */
function holds(text: string, secret: string): boolean {
  return text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1));
}

function objectsOf(path: string): JsonObject[] {
  return attempt(() => [...readJsonLines(path)].flatMap((item) => (item.kind === 'value' ? [item.value] : []))) ?? [];
}

function textOf(path: string): string | undefined {
  return attempt(() => readFileSync(path, 'utf8'));
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
