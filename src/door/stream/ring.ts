/** The last `capacity` things pushed, oldest first. */
export class Ring<Item> {
  readonly #slots: (Item | undefined)[];
  /** Place of the oldest item. */
  #head = 0;
  #size = 0;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new Error('a ring holds at least one item');
    this.#slots = new Array<Item | undefined>(capacity).fill(undefined);
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size === this.#slots.length;
  }

  get oldest(): Item | undefined {
    return this.#slots[this.#head];
  }

  /** True when the oldest item had to go to make room. */
  push(item: Item): boolean {
    const isOver = this.isFull;
    if (isOver) this.shift();
    this.#slots[(this.#head + this.#size) % this.#slots.length] = item;
    this.#size += 1;
    return isOver;
  }

  /** Takes the oldest item out; `undefined` when there is none. */
  shift(): Item | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#slots.length;
    this.#size -= 1;
    return item;
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (let at = 0; at < this.#size; at++) yield this.#slots[(this.#head + at) % this.#slots.length] as Item;
  }
}
