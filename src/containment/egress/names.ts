/** First address of 198.18.0.0/15 (RFC 2544), which no public host has, and how many names fit. */
const base = 0xc612_0000;
const most = 0x2_0000 - 2;

/**
 * Which address stands for which allowed name. Every name has one for the whole session and no two share one, so an address tells
 * which host a program asked for, whatever it resolves to. Names come from the rules, never from queries: asking adds nothing.
 */
export class Names {
  readonly #byName = new Map<string, string>();
  readonly #byAddress = new Map<string, string>();

  constructor(names: readonly string[]) {
    for (const [index, name] of names.slice(0, most).entries()) {
      const address = dotted(base + 1 + index);
      this.#byName.set(name, address);
      this.#byAddress.set(address, name);
    }
  }

  addressOf(name: string): string | undefined {
    return this.#byName.get(name);
  }

  nameOf(address: string): string | undefined {
    return this.#byAddress.get(address);
  }
}

function dotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}
