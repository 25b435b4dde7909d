/**
 * A process with the watchers of the benchmark `inspect`, as browsers are processes of their own. Not a benchmark.
 * Told `join`, it connects all of them and says `joined`; told `leave`, it cuts them off and says `left`.
 */
import { WebSocket } from 'ws';

const [port, token, count] = process.argv.slice(2);
let sockets: WebSocket[] = [];

function join(): Promise<unknown> {
  sockets = Array.from(
    { length: Number(count) },
    () =>
      new WebSocket(`ws://127.0.0.1:${port}/inspect`, ['mur.inspect.v1', `bearer.${token}`], {
        perMessageDeflate: false,
      }),
  );
  return Promise.all(
    sockets.map(
      (socket, at) =>
        new Promise<void>((resolve) => {
          socket.on('error', () => undefined);
          socket.once('message', () => {
            // The last one reads no further.
            if (at === sockets.length - 1) socket.pause();
            resolve();
          });
        }),
    ),
  );
}

process.on('message', async (word) => {
  if (word === 'join') await join();
  else for (const socket of sockets) socket.terminate();
  process.send?.(word === 'join' ? 'joined' : 'left');
});
