/** The last `capacity` things pushed, oldest first. */
export class Ring<Item> {
  readonly #slots: Item[] = [];
  readonly #capacity: number;
  /** Place of the oldest item. */
  #head = 0;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new Error('a ring holds at least one item');
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#slots.length;
  }

  get oldest(): Item | undefined {
    return this.#slots[this.#head];
  }

  /** True when the oldest item had to go to make room. */
  push(item: Item): boolean {
    if (this.#slots.length < this.#capacity) {
      this.#slots.push(item);
      return false;
    }
    this.#slots[this.#head] = item;
    this.#head = (this.#head + 1) % this.#capacity;
    return true;
  }

  /** Everything held; the ring is empty afterwards. */
  drain(): Item[] {
    const items = [...this];
    this.#slots.length = 0;
    this.#head = 0;
    return items;
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (let at = 0; at < this.#slots.length; at++) yield this.#slots[(this.#head + at) % this.#slots.length]!;
  }
}
