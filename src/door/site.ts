import type { DoorAuth } from './auth/index.js';
import type { cardPage } from './card-page.js';
import type { DialectContext } from './dialects/index.js';
import type { hostGuard } from './guards/host.js';
import type { StreamPort } from './port.js';
import type { DoorLimits } from './types.js';

/** Everything one request is answered from. Made once, when the door listens. */
export interface DoorSite extends Omit<DialectContext, 'headers' | 'onLeft'> {
  readonly isOwnHost: ReturnType<typeof hostGuard>;
  readonly port: number;
  readonly acceptsPeerTasks: boolean;
  readonly limits: DoorLimits;
  /** The realm of a refusal. */
  readonly capsuleName: string;
  /** Absent: a public door, which answers everybody and ignores `Authorization`. */
  readonly auth?: DoorAuth | undefined;
  /** Serves what a dialect answers as a stream. */
  readonly streams?: StreamPort | undefined;
  /** Every method that does something here, whichever dialect names it. */
  readonly methods: readonly string[];
  readonly card: ReturnType<typeof cardPage>;
}

/** An HTTP answer; `body` is JSON text. */
export interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the door answers to a path it does not have. */
export const notFound: Answer = { status: 404 };
