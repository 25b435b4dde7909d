import type { Frame } from './frame.js';

/** How a frame may be treated on the way to a client that is slow. */
export type Treatment =
  /** Sent, or everything is sent anew. */
  | 'keep'
  /** A newer one of the same actor may stand for it. */
  | 'latest'
  /** May be left out, and counted. */
  | 'drop';

type WithoutNumber<F> = F extends Frame ? Omit<F, 'q'> : never;
/** A frame before it is numbered. */
export type FrameBody = WithoutNumber<Frame>;

/** One frame on its way to the clients. Its text is made once, when the first client needs it. */
export class Item {
  readonly frame: Frame;
  readonly treatment: Treatment;
  #text: string | undefined;

  constructor(frame: Frame) {
    this.frame = frame;
    this.treatment = treatmentOf(frame);
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.frame);
    return this.#text;
  }
}

function treatmentOf({ type }: Frame): Treatment {
  if (type === 'snap') return 'latest';
  return type === 'ev' || type === 'trace' || type === 'note' || type === 'message' ? 'drop' : 'keep';
}
