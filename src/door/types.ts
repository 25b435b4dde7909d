import type { Clock } from '../supervise/clock.js';
import type { DoorAuth } from './auth/index.js';
import type { CardInput } from './card.js';
import type { StreamPort, TaskPort } from './port.js';
import type { DoorSide } from './side.js';

/** Bounds of one door (spec/door.md section 2). */
export interface DoorLimits {
  readonly headerBytes: number;
  readonly bodyBytes: number;
  /** Time a client has to send one whole request. */
  readonly requestMs: number;
  readonly connections: number;
  /** Time a connection may rest between two requests. */
  readonly idleMs: number;
  /** Time a client may take nothing of what is written to it: longer than a stall of a minute, which costs a stream events only. */
  readonly stallMs: number;
  /** What all clients together may leave of their answers with us. */
  readonly untakenBytes: number;
  /** Requests of one connection that may wait for their answers at once. */
  readonly pipelined: number;
  /** How long the rest of a refused request is read and dropped, so that its sender can read the refusal. */
  readonly lingerMs: number;
  /** How long requests under way may take to finish once the door closes. */
  readonly closeMs: number;
}

export const defaultLimits: DoorLimits = {
  headerBytes: 16 * 1024,
  bodyBytes: 8 * 1024 * 1024,
  requestMs: 30_000,
  connections: 256,
  idleMs: 5_000,
  stallMs: 90_000,
  untakenBytes: 256 * 1024 * 1024,
  pipelined: 16,
  lingerMs: 2_000,
  closeMs: 1_000,
};

export interface DoorOptions {
  /** `127.0.0.1` unless the operator chose another. */
  readonly bindAddr: string;
  /** Bind exactly this port (`network.internal_port`). Absent: the system picks one. */
  readonly port?: number;
  readonly card: CardInput;
  readonly tasks: TaskPort;
  /** Present: a caller needs one of its tokens. Absent: a public door. */
  readonly auth?: DoorAuth | undefined;
  readonly clock: Clock;
  /** Leave it out and no streaming method is offered. */
  readonly streams?: StreamPort | undefined;
  /** Live inspection, when it was asked for. */
  readonly side?: DoorSide | undefined;
  readonly limits?: Partial<DoorLimits>;
}

export interface Door {
  /** `localhost:<port>`, as the running record and the launch output name it. */
  readonly url: string;
  readonly port: number;
  /** The address the socket is bound to. */
  readonly address: string;
  /** Stops listening, lets requests under way finish for a moment, then cuts them. Idempotent. */
  close(): Promise<void>;
}
