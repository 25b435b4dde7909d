/** The programs of the drill in busy.ts that run in processes of their own. Not a test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';

/**
 * Loaded into the session: notes what its main thread computed between two looks, five milliseconds apart when nothing holds them up.
 * The first field of schedstat is time on a processor, in nanoseconds.
 */
export const gauge = `data:text/javascript,${encodeURIComponent(`
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) {
  const spent = () => Number(readFileSync('/proc/self/task/' + process.pid + '/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;
  const turns = [];
  let last = spent();
  setInterval(() => {
    const now = spent();
    if (now - last > 10) turns.push([Date.now(), now - last]);
    last = now;
  }, 5).unref();
  process.on('exit', () => writeFileSync(process.env.DRILL_TURNS, JSON.stringify(turns)));
}`)}`;

/** Watches on `count` streams: says `open`, then `called` when a tool call has begun on all, then the frames until then. */
export const watcher = `
const [port, count] = process.argv.slice(1).map(Number);
const { request } = require('node:http');
let frames = 0, opened = 0, called = 0, first = 0, last = 0;
const method = 'POST', headers = { 'content-type': 'application/json' };
for (let at = 0; at < count; at += 1) {
  let isCalled = false;
  const asked = request({ port, host: '127.0.0.1', method, headers }, (response) => {
    if (++opened === count) console.log('open');
    response.setEncoding('latin1').on('data', (text) => {
      if (isCalled) return;
      last = performance.now();
      first ||= last;
      frames += text.split('\\ndata: ').length - 1;
      isCalled = text.includes('event: tool-call-started');
      if (isCalled && ++called === count) console.log('called');
    }).on('error', () => {});
  });
  asked.on('error', () => {}).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'stream/watch' }));
}
process.stdin.on('end', () => {
  console.log(JSON.stringify({ frames, seconds: (last - first) / 1000 }));
  process.exit();
}).resume();
`;

/** Answers everything with next to nothing, and says its port. */
export const plainServer = `
const server = require('node:http').createServer((_, response) => response.end('{}'));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit()).resume();
`;

/** A node program on its own, so that its work delays nobody who measures; it ends with its input. */
export function script(text: string, args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, ['-e', text, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: Interface = createInterface({ input: child.stdout! });
  const said = lines[Symbol.asyncIterator]();
  return {
    async next(): Promise<string> {
      const { value, done } = await said.next();
      if (done) throw new Error('a program of the drill ended too early');
      return value;
    },
    end: () => void child.stdin!.end(),
    ended: once(child, 'close'),
  };
}
