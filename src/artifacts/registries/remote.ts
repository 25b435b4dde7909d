/**
 * A remote registry: publish, download, list (spec/artifacts.md section 8.3). Every status is mapped to its code here.
 * Read next: choose.ts (when it is used), index-entry.ts (what a list holds).
 */
import { MurError, Secret } from '../../errors/index.js';
import type { PackedArtifact } from '../describe.js';
import { download, downloadCeiling } from './download/index.js';
import { baseAddress, below, refuseOpenKey } from './http/address.js';
import { call, type Reply } from './http/call.js';
import type { Outgoing } from './http/exchange.js';
import { NoAnswer, plainAddress, serverText } from './http/failure.js';
import { objectIn, parseAnswer, textIn } from './http/json.js';
import { type HttpLimits, httpLimits } from './http/limits.js';
import { readEntries } from './index-entry.js';
import { checkRequest, labelOf } from './request.js';
import type { Fetched, FetchRequest, RegistryContext, RemoteRegistry } from './types.js';
import { openFetched } from './verify.js';

const digestHeader = 'x-murmur-sha256';

/** The registry at `url`. Nothing is sent before a method is called. `E-IO-003` for an address that is none. */
export function remoteRegistry(
  url: string,
  context: Omit<RegistryContext, 'config'>,
  limits: HttpLimits = httpLimits,
): RemoteRegistry {
  return new Remote(baseAddress(url, 'registry address'), context, limits);
}

class Remote implements RemoteRegistry {
  readonly url: string;
  readonly #base: URL;
  readonly #key: Secret | undefined;

  constructor(
    base: URL,
    readonly context: Omit<RegistryContext, 'config'>,
    readonly limits: HttpLimits,
  ) {
    const key = context.env.NEXUS_API_KEY?.trim();
    this.#key = key ? new Secret(key) : undefined;
    if (this.#key !== undefined) refuseOpenKey(base);
    this.#base = below(base, ['v1']);
    this.url = plainAddress(base);
  }

  async fetch(request: FetchRequest): Promise<Fetched> {
    checkRequest(request);
    const { name, version, platform } = request;
    const label = labelOf(request);
    if (version === undefined) {
      throw new MurError('E-REG-001', `artifact ${name} not found in registry: ${this.url} knows exact versions only`, {
        hint: `write ${name}@<version>`,
      });
    }
    const result = await this.#answered(() =>
      download(
        {
          name: label,
          url: below(this.#base, ['artifacts', name, version], [['platform', platform]]),
          credential: this.#key,
          digestHeader,
          limitBytes: downloadCeiling(this.context.env),
        },
        {
          folder: this.context.downloads,
          limits: this.limits,
          signal: this.context.signal,
          onProgress: this.context.onProgress,
        },
      ),
    );
    if (result.kind === 'refused') throw this.#refusal(result.reply, label);
    const artifact = await openFetched(result.bytes, `${label} of ${this.url}`, { name, version, platform });
    return { artifact, from: this.url };
  }

  async publish(artifact: PackedArtifact) {
    const { meta, bytes, platform, sha256 } = artifact;
    const label = labelOf(meta);
    const query: [string, string][] = [
      ['name', meta.name],
      ['version', meta.version],
      ['runtime', meta.runtime],
      ...(platform === undefined ? [] : [['platform', platform] satisfies [string, string]]),
    ];
    const reply = await this.#call({
      method: 'POST',
      url: below(this.#base, ['artifacts'], query),
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
    });
    if (reply.status !== 201) throw this.#refusal(reply, label);
    const answer = objectIn(await this.#answered(async () => parseAnswer(reply.text)));
    const [artifactId, stored] = [textIn(answer?.artifact_id), textIn(answer?.sha256)?.toLowerCase()];
    if (artifactId === undefined || stored === undefined) throw this.#unreadable('names no artifact_id and sha256');
    if (stored !== sha256) {
      throw new MurError('E-REG-002', `artifact integrity check failed for ${label}: ${this.url} stored other bytes`);
    }
    return { artifactId: serverText(artifactId), sha256 };
  }

  async index() {
    const reply = await this.#call({ method: 'GET', url: below(this.#base, ['artifacts']) });
    if (reply.status !== 200) throw this.#refusal(reply, 'the list of artifacts');
    const answer = await this.#answered(async () => parseAnswer(reply.text));
    const entries = readEntries(answer);
    if (typeof entries === 'string') throw this.#unreadable(entries);
    return entries;
  }

  #call(out: Omit<Outgoing, 'credential'>): Promise<Reply> {
    return this.#answered(() => call({ ...out, credential: this.#key }, this.limits, this.context.signal));
  }

  async #answered<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      throw new MurError('E-IO-003', `registry ${this.url}: ${error.reason}`, {
        hint: 'check the address and the network, then try again',
        cause: error,
      });
    }
  }

  #refusal(reply: Reply, label: string): MurError {
    const { status } = reply;
    if (status === 401 || status === 403) {
      const message = `registry authentication failed for ${this.url}. Check NEXUS_API_KEY and try again.`;
      return new MurError('E-IO-003', message);
    }
    const said = this.#reason(reply.text);
    if (status === 404) {
      return new MurError('E-REG-001', `artifact ${label} not found in registry ${this.url}`, {
        hint: 'check the name and the version, or publish it first',
      });
    }
    if (status === 409) return new MurError('E-REG-003', `artifact ${label} already exists in registry`);
    const reserved = status === 422 ? /^reserved artifact version '(.*)' is not allowed$/.exec(said)?.[1] : undefined;
    if (reserved !== undefined) {
      return new MurError('E-REG-004', `version '${reserved}' is reserved and cannot be published`);
    }
    return new MurError('E-IO-003', `registry ${this.url} answered HTTP ${status}${said === '' ? '' : `: ${said}`}`);
  }

  /** What an error body says, `{"error": "..."}` or text. */
  #reason(text: string): string {
    let said = text;
    try {
      said = textIn(objectIn(JSON.parse(text))?.error) ?? '';
    } catch {
      // Not JSON, or cut at the cap.
    }
    return serverText(said, [this.#key]);
  }

  #unreadable(why: string): MurError {
    return new MurError('E-IO-003', `registry ${this.url}: the answer ${why}`);
  }
}
