import type { WebSocket } from 'ws';
import type { Frame, LostFrame } from './frame.js';
import type { Item } from './item.js';
import type { Limits } from './limits.js';

/** How frames become messages for one kind of client. */
export interface Encoding {
  /** One or more whole messages. */
  encode(items: readonly Item[]): readonly string[];
}

/** Frames as they are, many in one message. */
export const batched: Encoding = { encode: (items) => [`[${items.map((item) => item.text).join(',')}]`] };

/** What one client has to be told about one session. */
type Standing = 'unknown' | 'told' | 'outdated';

interface Lost {
  ev: number;
  snap: number;
  other: number;
}

/**
 * One watcher: a bounded queue in front of a socket. A client that reads slowly loses droppable frames, oldest first, and is told
 * how many; of each actor it keeps the newest snapshot. One that reads nothing for long loses its whole queue and is told
 * everything anew when it reads again. Never waits and never grows past its limits.
 */
export class Client {
  readonly #socket: WebSocket;
  readonly #limits: Limits;
  readonly #encoding: Encoding;
  readonly #standing = new Map<string, Standing>();
  readonly #defs = new Set<string>();
  readonly #lost = new Map<string, Lost>();
  readonly #gaps = new Set<string>();
  /** Holes are frames that were dropped after they were queued. */
  #queue: (Item | undefined)[] = [];
  /** Place in `#queue` of the newest snapshot of each actor. */
  readonly #newest = new Map<string, number>();
  /** Places of droppable frames, oldest first; those before `#nextDrop` are gone. */
  #droppable: number[] = [];
  #nextDrop = 0;
  #kept = 0;
  #chars = 0;
  #isStalled = false;
  #isAlive = true;
  #missedPongs = 0;

  constructor(socket: WebSocket, encoding: Encoding, limits: Limits) {
    this.#socket = socket;
    this.#encoding = encoding;
    this.#limits = limits;
    socket.on('pong', () => {
      this.#missedPongs = 0;
    });
    // What a client says is not listened to.
    socket.on('error', () => this.end());
    socket.on('close', () => this.end());
  }

  /** Called once, when the socket is closed by either side. */
  onEnd: () => void = () => undefined;

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** True while the socket takes nothing more. */
  get isBlocked(): boolean {
    return this.#socket.bufferedAmount > this.#limits.socketBytes;
  }

  /** Whether frames wait here. */
  get isWaiting(): boolean {
    return this.#queue.length > 0 || this.#isStalled;
  }

  /** Whether history, which can wait, may be added now. */
  get hasRoom(): boolean {
    return !this.#isStalled && !this.isBlocked && this.#chars < this.#limits.messageChars;
  }

  /** Frames that wait, for tests of the bounds. */
  get waitingFrames(): number {
    return this.#kept + this.#droppable.length - this.#nextDrop + this.#newest.size;
  }

  standing(sys: string): Standing {
    return this.#standing.get(sys) ?? 'unknown';
  }

  /** Whether it must be told everything about `sys`, and can take it now. */
  needs(sys: string): boolean {
    return this.#isAlive && this.standing(sys) !== 'told' && !this.#isStalled && !this.isBlocked;
  }

  told(sys: string): void {
    this.#standing.set(sys, 'told');
  }

  /** Whether it lost trace lines, messages or notices of `sys` since this was last asked. */
  takeGap(sys: string): boolean {
    return this.#gaps.delete(sys);
  }

  /** What it knows of `sys` is no longer true: it is told again. */
  outdate(sys: string): void {
    if (this.standing(sys) === 'told') this.#standing.set(sys, 'outdated');
  }

  forget(sys: string): void {
    this.#standing.delete(sys);
  }

  /** True the first time for each chart. */
  isNewDef(key: string): boolean {
    if (this.#defs.has(key)) return false;
    this.#defs.add(key);
    return true;
  }

  /** Counts frames that were left out before they came here. */
  missed(sys: string, ev: number, snap: number, other = 0): void {
    if (other > 0) this.#gaps.add(sys);
    const lost = this.#lost.get(sys) ?? { ev: 0, snap: 0, other: 0 };
    this.#lost.set(sys, { ev: lost.ev + ev, snap: lost.snap + snap, other: lost.other + other });
  }

  push(item: Item): void {
    if (!this.#isAlive) return;
    if (this.#isStalled) {
      this.#count(item.frame);
      return;
    }
    const place = this.#queue.length;
    if (item.treatment === 'keep') this.#kept += 1;
    else if (item.treatment === 'drop') this.#droppable.push(place);
    else this.#replace(item.frame, place);
    this.#queue.push(item);
    this.#chars += item.text.length;
    this.#bound();
  }

  /** Writes what the socket takes. `lostOf` numbers a report of what was lost. */
  flush(lostOf: (body: Omit<LostFrame, 'q'>) => Item, now: number): void {
    if (!this.#isAlive || this.isBlocked) return;
    if (this.#isStalled) this.#recover();
    const reports = [...this.#lost].map(([sys, lost]) => lostOf({ type: 'lost', sys, at: now, ...lost }));
    this.#lost.clear();
    const items = [...reports, ...this.#queue.filter((item) => item !== undefined)];
    let next = 0;
    while (next < items.length && !this.isBlocked) {
      const batch = this.#batch(items, next);
      next += batch.length;
      for (const message of this.#encoding.encode(batch)) this.#socket.send(message);
    }
    this.#requeue(items.slice(next));
  }

  ping(): void {
    this.#missedPongs += 1;
    if (this.#missedPongs > 2) this.terminate();
    else if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Cuts the connection without asking. */
  terminate(): void {
    this.#socket.terminate();
    this.end();
  }

  /** Drops everything. Idempotent. */
  end(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#clear();
    this.onEnd();
  }

  #batch(items: readonly Item[], from: number): Item[] {
    const batch: Item[] = [];
    let chars = 0;
    for (let at = from; at < items.length && batch.length < this.#limits.messageFrames; at += 1) {
      const item = items[at]!;
      if (batch.length > 0 && chars + item.text.length > this.#limits.messageChars) break;
      chars += item.text.length;
      batch.push(item);
      // The greeting stands alone, so that whoever passes a stream on can leave it out.
      if (item.frame.type === 'hello') break;
    }
    return batch;
  }

  /** While the socket is blocked, an older snapshot of the actor that still waits gives way. */
  #replace(frame: Frame, place: number): void {
    const { sys, id } = frame as { sys: string; id: string };
    const key = `${sys}\n${id}`;
    const older = this.#newest.get(key);
    if (older !== undefined && this.isBlocked) this.#drop(older);
    this.#newest.set(key, place);
  }

  #bound(): void {
    while (
      this.#nextDrop < this.#droppable.length &&
      (this.#droppable.length - this.#nextDrop > this.#limits.waitingFrames || this.#chars > this.#limits.waitingChars)
    ) {
      this.#drop(this.#droppable[this.#nextDrop]!);
      this.#nextDrop += 1;
    }
    if (this.#kept + this.#newest.size > this.#limits.waitingKept || this.#chars > this.#limits.waitingChars) {
      this.#stall();
    }
  }

  #drop(place: number): void {
    const item = this.#queue[place];
    if (item === undefined) return;
    this.#queue[place] = undefined;
    this.#chars -= item.text.length;
    this.#count(item.frame);
  }

  #count(frame: Frame): void {
    if (!('sys' in frame)) return;
    if (frame.type === 'ev') this.missed(frame.sys, 1, 0);
    else if (frame.type === 'snap') this.missed(frame.sys, 0, 1);
    else if (frame.type === 'trace' || frame.type === 'note' || frame.type === 'message')
      this.missed(frame.sys, 0, 0, 1);
  }

  #stall(): void {
    for (const item of this.#queue) if (item !== undefined) this.#count(item.frame);
    this.#clear();
    this.#defs.clear();
    this.#isStalled = true;
  }

  /** It reads again: whatever it was told is out of date. */
  #recover(): void {
    this.#isStalled = false;
    for (const sys of this.#standing.keys()) this.#standing.set(sys, 'outdated');
  }

  #requeue(items: readonly Item[]): void {
    this.#clear();
    for (const item of items) this.push(item);
  }

  #clear(): void {
    this.#queue = [];
    this.#newest.clear();
    this.#droppable = [];
    this.#nextDrop = 0;
    this.#kept = 0;
    this.#chars = 0;
  }
}
