import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** The connections that a server answers itself: all but those it handed over. `server.close` would wait for those as well. */
export class Connections {
  readonly #open = new Set<Duplex>();
  #isEmpty: () => void = () => undefined;

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.handOver(socket));
    });
  }

  /** Whoever took `socket` over closes it. */
  handOver(socket: Duplex): void {
    this.#open.delete(socket);
    if (this.#open.size === 0) this.#isEmpty();
  }

  /** Resolves when none is left. Asked once, by a server that accepts no more. */
  async emptied(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#isEmpty = resolve));
  }
}
