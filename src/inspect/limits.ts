/** The bounds that keep inspection from costing the session what it is there to show (design/actors.md 3.2). */
export const limits = {
  /** How long what happened is gathered before it is sent: a newer snapshot of an actor may replace an older one meanwhile. */
  tickMs: 50,
  /**
   * So many times as long as it worked, inspection rests: it takes a sixteenth of the thread at most. What it causes beside that,
   * gathering and writing to sockets, costs about as much again.
   */
  restFactor: 15,
  /** The same while the thread is busier than `busyShare` of its time: a fiftieth of it at most. */
  busyRestFactor: 49,
  busyShare: 0.95,
  /** Longest it works in one go. */
  sliceMs: 5,
  /** Snapshots gathered in one tick up to which all of them are sent, so that a quiet session can be followed step by step. */
  exactSnapshots: 256,
  /** Things gathered and not yet looked at; above it all of them are dropped and the clients are told everything anew. */
  backlog: 4_096,
  /** Droppable frames waiting for one client; the oldest go first. */
  waitingFrames: 4_096,
  /** Frames waiting that may not be dropped; above it the client is told everything anew once it reads again. */
  waitingKept: 8_192,
  /** Characters waiting for one client. */
  waitingChars: 8 * 1024 * 1024,
  /** Bytes in a client's socket above which nothing more is written. */
  socketBytes: 1024 * 1024,
  /** One websocket message. */
  messageChars: 256 * 1024,
  messageFrames: 2_000,
  /** A client that answers no ping for two of these is gone. */
  pingMs: 15_000,
  /** A client sends nothing but control frames; more than this is refused. */
  payloadBytes: 64 * 1024,
  clients: 16,
  /** How long a closing session waits until its last frames are sent. */
  farewellMs: 2_000,
} as const;

export type Limits = { readonly [K in keyof typeof limits]: number };
