/**
 * The hub: from what happens in sessions to the sockets of whoever watches. It costs nothing while nobody does: xstate's inspection
 * is attached with the first client and detached with the last.
 *
 *     a session's send()  ->  gather: one push (backlog.ts)                    inside the session's own stack
 *     every 50 ms         ->  look at what was gathered, make frames of it     slices of 5 ms, each with 15 times the rest
 *                             (watch.ts), queue and write them (client.ts)     (49 times when the thread is full; duty.ts)
 *
 * So inspection takes little of the thread, however busy the sessions and however many the clients. What does not
 * fit is left out by rule (limits.ts) and reported as `lost`. A client is told the whole state first, and anew whenever it or the
 * hub fell behind.
 *
 * Does not hold: a single actor whose redacted view takes longer than a slice makes that slice longer.
 *
 * Not who may connect (access.ts), not what a frame may say (redact.ts). Read next: watch.ts, client.ts.
 */
import type { InspectionEvent } from 'xstate';
import { murVersion } from '../version.js';
import { Backlog, type Gathered } from './backlog.js';
import type { Client } from './client.js';
import { definitionByKey } from './definition.js';
import { Duty, type Left } from './duty.js';
import { type FrameBody, Item } from './item.js';
import { type Limits, limits as standardLimits } from './limits.js';
import type { Following, Subject } from './subject.js';
import { Watch } from './watch.js';

export interface HubOptions {
  /** `*`, or the session id when there is one session only. */
  readonly scope: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly limits?: Partial<Limits>;
}

interface Watched {
  readonly watch: Watch;
  /** Set while somebody watches. */
  attached?: { readonly detach: () => void; readonly following: Following | undefined } | undefined;
  /** Where each client's knowledge begins: what was gathered before was part of the tree it was told. */
  readonly since: Map<Client, number>;
  /** Clients that are being told the past. */
  readonly recalling: Set<Client>;
}

export class Hub {
  readonly #options: HubOptions;
  readonly #limits: Limits;
  readonly #backlog: Backlog;
  readonly #duty: Duty;
  readonly #watched = new Map<string, Watched>();
  readonly #clients = new Set<Client>();
  #q = 0;
  #pinger: NodeJS.Timeout | undefined;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#limits = { ...standardLimits, ...options.limits };
    this.#backlog = new Backlog(this.#limits, options.now);
    this.#duty = new Duty((untilMs) => this.#work(untilMs), this.#limits);
  }

  get clients(): number {
    return this.#clients.size;
  }

  /** True while the inspection of any session is attached: never without a client. */
  get isAttached(): boolean {
    return [...this.#watched.values()].some(({ attached }) => attached !== undefined);
  }

  /** Things gathered and not looked at. */
  get backlog(): number {
    return this.#backlog.size;
  }

  /** Shows a session from now on. Returns its end. */
  add(subject: Subject): () => void {
    const watched: Watched = { watch: new Watch(subject), since: new Map(), recalling: new Set() };
    this.#watched.set(subject.sys, watched);
    if (this.#clients.size > 0) this.#attach(watched);
    this.#duty.wake(0);
    return () => {
      this.#detach(watched);
      this.#watched.delete(subject.sys);
      for (const client of this.#clients) client.forget(subject.sys);
    };
  }

  /** Takes in a client; `false` when there are too many. */
  connect(client: Client): boolean {
    if (this.#clients.size >= this.#limits.clients) return false;
    client.onEnd = () => this.#leave(client);
    this.#clients.add(client);
    const { scope, now } = this.#options;
    client.push(this.#item({ type: 'hello', v: 1, scope, now: now(), mur: murVersion }));
    this.#flush(client);
    for (const watched of this.#watched.values()) this.#attach(watched);
    this.#pinger ??= setInterval(() => {
      for (const each of this.#clients) each.ping();
    }, this.#limits.pingMs).unref();
    this.#duty.wake(0);
    return true;
  }

  /** Tells everybody anew who a session is. */
  changed(sys: string): void {
    const watched = this.#watched.get(sys);
    if (watched !== undefined && this.#clients.size > 0) this.#publish(watched, watched.watch.subject.describe());
  }

  /** Sends what is left, for a moment at most, and closes every connection. */
  async close(reason: string): Promise<void> {
    this.#duty.stop();
    const untilMs = performance.now() + this.#limits.farewellMs;
    for (const [sys, { attached }] of this.#watched) {
      attached?.following?.flush();
      this.changed(sys);
    }
    while (this.#work(untilMs) !== 'nothing' && performance.now() < untilMs) await pause(5);
    for (const watched of this.#watched.values()) this.#detach(watched);
    for (const client of this.#clients) client.close(1001, reason);
    while (this.#clients.size > 0 && performance.now() < untilMs) await pause(5);
    for (const client of this.#clients) client.terminate();
    this.#watched.clear();
  }

  #work(untilMs: number): Left {
    for (const watched of this.#watched.values()) {
      if (performance.now() > untilMs) break;
      this.#introduce(watched);
    }
    for (let looked = 1; ; looked += 1) {
      const gathered = this.#backlog.take();
      if (gathered === undefined) break;
      this.#look(gathered);
      if (looked % 16 === 0 && performance.now() > untilMs) break;
    }
    this.#catchUp();
    for (const client of this.#clients) this.#flush(client);
    const watched = [...this.#watched.values()];
    const clients = [...this.#clients];
    if (this.#backlog.size > 0) return 'more';
    if (clients.some((client) => watched.some(({ watch }) => client.needs(watch.subject.sys)))) return 'more';
    const isUnfinished = clients.some(
      (client) => client.isWaiting || watched.some((each) => each.recalling.has(client)),
    );
    return isUnfinished ? 'later' : 'nothing';
  }

  /** Tells whoever does not know it the whole state of a session. */
  #introduce(watched: Watched): void {
    const { subject } = watched.watch;
    const clients = [...this.#clients].filter((client) => client.needs(subject.sys));
    if (clients.length === 0) return;
    const items = [subject.describe(), ...watched.watch.tree(this.#options.now())].map((body) => this.#item(body));
    for (const client of clients) {
      const isFirst = client.standing(subject.sys) === 'unknown';
      watched.since.set(client, this.#backlog.seq);
      for (const item of items) this.#send(client, item);
      client.told(subject.sys);
      // Not `||`: the gap is taken either way.
      const hasGap = client.takeGap(subject.sys);
      if (isFirst || hasGap) void this.#recall(client, watched, isFirst);
      else this.#synced(client, subject.sys, false);
    }
  }

  /** Tells a client the past of a session, as fast as it reads, and then that it knows everything. */
  async #recall(client: Client, watched: Watched, isFirst: boolean): Promise<void> {
    const { subject } = watched.watch;
    if (watched.recalling.has(client)) return;
    watched.recalling.add(client);
    try {
      for await (const body of watched.attached?.following?.past(!isFirst) ?? []) {
        while (client.isAlive && !client.hasRoom) await pause(this.#limits.tickMs);
        if (!client.isAlive || watched.attached === undefined) break;
        this.#send(client, this.#item(body));
        this.#duty.wake();
      }
    } catch {
      // A record that cannot be read is a past that cannot be told; the present goes on.
    } finally {
      watched.recalling.delete(client);
      if (client.isAlive) this.#synced(client, subject.sys, isFirst);
    }
  }

  #synced(client: Client, sys: string, isFirst: boolean): void {
    const at = this.#options.now();
    client.push(this.#item({ type: 'synced', sys, at, ...(isFirst ? {} : { again: true }) }));
    this.#duty.wake();
  }

  /** Frames of one gathered thing, to everybody who was told of its session before it happened. */
  #look(gathered: Gathered): void {
    const { watch, seq } = gathered;
    const watched = this.#watched.get(watch.subject.sys);
    if (watched === undefined) return;
    let bodies: readonly FrameBody[];
    try {
      bodies = watch.frames(gathered);
    } catch {
      // An actor that cannot even be named: nobody can be told anything true about it.
      for (const client of this.#clients) client.missed(watch.subject.sys, 0, 1);
      return;
    }
    for (const body of bodies) {
      const item = this.#item(body);
      for (const client of this.#clients) {
        const since = watched.since.get(client);
        if (since !== undefined && since <= seq && client.standing(watch.subject.sys) === 'told') {
          this.#send(client, item);
        }
      }
    }
  }

  #catchUp(): void {
    const missed = this.#backlog.catchUp();
    if (missed === undefined) return;
    for (const [watch, { ev, snap }] of missed) {
      watch.reset();
      for (const client of this.#clients) {
        client.missed(watch.subject.sys, ev, snap);
        client.outdate(watch.subject.sys);
      }
    }
  }

  /** A frame that did not come from the actors. */
  #publish(watched: Watched, body: FrameBody): void {
    const { sys } = watched.watch.subject;
    const item = this.#item(body);
    for (const client of this.#clients) if (client.standing(sys) === 'told') this.#send(client, item);
    this.#duty.wake();
  }

  #send(client: Client, item: Item): void {
    const { frame } = item;
    const definition = frame.type === 'actor' && frame.def !== undefined ? definitionByKey(frame.def) : undefined;
    if (definition !== undefined && client.isNewDef(definition.key)) {
      client.push(this.#item({ type: 'def', ...definition }));
    }
    client.push(item);
  }

  #flush(client: Client): void {
    client.flush((body) => this.#item(body), this.#options.now());
  }

  #item(body: FrameBody): Item {
    this.#q += 1;
    return new Item({ q: this.#q, ...body });
  }

  #attach(watched: Watched): void {
    if (watched.attached !== undefined) return;
    const { watch } = watched;
    const { subject } = watch;
    const subscription = subject.root.system.inspect((event: InspectionEvent) => {
      try {
        this.#backlog.gather(watch, event);
        this.#duty.wake();
      } catch {
        // A throw here would surface in the session's own send() (cases/reports row 27).
      }
    });
    watched.attached = {
      detach: () => subscription.unsubscribe(),
      following: subject.follow?.((body) => this.#publish(watched, body)),
    };
  }

  #detach(watched: Watched): void {
    watched.attached?.detach();
    watched.attached?.following?.stop();
    watched.attached = undefined;
    watched.watch.reset();
    watched.since.clear();
  }

  #leave(client: Client): void {
    this.#clients.delete(client);
    for (const { since } of this.#watched.values()) since.delete(client);
    if (this.#clients.size > 0) return;
    for (const watched of this.#watched.values()) this.#detach(watched);
    this.#backlog.clear();
    clearInterval(this.#pinger);
    this.#pinger = undefined;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
