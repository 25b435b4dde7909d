/**
 * Whether anything leaves a session that may talk to `api.example` only. Listeners outside of the box count; the words of the program
 * inside decide nothing.
 */
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { dialer, openSessionNetwork } from '../../src/containment/egress/index.js';
import { parseAllowEntry } from '../../src/policy/network.js';
import { exfiltration, exfiltrationHelpers } from './cases/network.js';
import { pythonOf } from './python.js';
import type { Entry, Where } from './record.js';
import { factsOf, openKind, run, type Setting } from './session.js';

interface Listeners {
  readonly api: number;
  readonly decoy: number;
  readonly udp: number;
  /** All that arrived, by listener. */
  readonly heard: { api: string; decoy: string; udp: string };
  readonly connections: { decoy: number };
  close(): Promise<void>;
}

async function listen(): Promise<Listeners> {
  const heard = { api: '', decoy: '', udp: '' };
  const connections = { decoy: 0 };
  let decoyPort = 0;
  const decoy = await tcp(
    (text) => {
      heard.decoy += text;
      return 'HTTP/1.0 200 OK\r\n\r\nstolen';
    },
    () => {
      connections.decoy += 1;
    },
  );
  decoyPort = portOf(decoy);
  const api = await tcp((text) => {
    heard.api += text;
    const to = /^GET \/redirect(6?)\?to=(\S+)/.exec(text);
    if (to === null) return 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nwelcome';
    return `HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: http://${to[1] ? '[::1]' : '127.0.0.1'}:${decoyPort}/${to[2]}\r\n\r\n`;
  });
  const udp = await udpOn(0, heard);
  // The port of name servers, where this user may have it.
  const dns = await udpOn(53, heard).catch(() => undefined);
  return {
    api: portOf(api),
    decoy: decoyPort,
    udp: udp.address().port,
    heard,
    connections,
    close: async () => {
      udp.close();
      dns?.close();
      await Promise.all([api, decoy].map((server) => new Promise((done) => server.close(done))));
    },
  };
}

function tcp(answer: (text: string) => string, connected = () => {}): Promise<Server> {
  const server = createServer((socket) => {
    connected();
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (text.includes('\r\n\r\n') || text.includes('EXFIL')) socket.end(answer(text));
    });
  });
  return new Promise((resolve, reject) => server.once('error', reject).listen(0, '::', () => resolve(server)));
}

function udpOn(port: number, heard: { udp: string }): Promise<Datagrams> {
  const socket = createSocket({ type: 'udp6', ipv6Only: false });
  socket.on('message', (message) => {
    heard.udp += message.toString('latin1');
  });
  return new Promise((resolve, reject) => socket.once('error', reject).bind(port, '::', () => resolve(socket)));
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal);
  return found?.address ?? '127.0.0.2';
}

/** What a box with that one allowed name is used for besides: real work that needs the network. */
export type WithNetwork = (setting: Setting, apiPort: number) => Promise<readonly Entry[]>;

export async function exfiltrate(setting: Setting, where: Where, besides: WithNetwork): Promise<readonly Entry[]> {
  const listeners = await listen();
  const entries = [`api.example:${listeners.api}`, `rebind.example:${listeners.api}`];
  const network = await openSessionNetwork({
    rules: entries.map(parseAllowEntry),
    dial: dialer({ privateNames: ['api.example'], resolve: async () => [{ address: '127.0.0.1', family: 4 }] }),
    onRefused: () => {},
  });
  if ('refused' in network) throw new Error(`the network of a session cannot be made: ${network.refused}`);
  const inside = { ...setting, network };
  const box = await openKind(inside, 'plain');
  try {
    const facts = {
      ...factsOf(inside, box),
      ...{
        api: listeners.api,
        decoy: listeners.decoy,
        decoy6: listeners.decoy,
        udp: listeners.udp,
        udp6: listeners.udp,
        address: ownAddress(),
      },
    };
    const token = (id: string) => `EXFIL${id.replaceAll('-', '')}${setting.ground.token}`.slice(0, 60);
    const attempts = exfiltration.map(({ id, code }) => ({
      id,
      code: `TOKEN = ${JSON.stringify(token(id))}.encode()\n${exfiltrationHelpers.trim()}\n${code.trim()}`,
    }));
    const { out, err } = await run(box, inside, 'python3', ['-I', '-'], {
      stdin: Buffer.from(pythonOf(attempts, facts)),
    });
    // What was sent is on its way at most this long: everything is on the loopback.
    await new Promise((resolve) => setTimeout(resolve, 200));
    return [
      ...exfiltration.map((each): Entry => judged(each, token(each.id), { listeners, where, setting, out, err })),
      ...(await besides(inside, listeners.api)),
    ];
  } finally {
    await box.close();
    await network.close();
    await listeners.close();
  }
}

interface Heard {
  readonly listeners: Listeners;
  readonly where: Where;
  readonly setting: Setting;
  readonly out: string;
  readonly err: string;
}

function judged(
  row: (typeof exfiltration)[number],
  token: string,
  { listeners, where, setting, out, err }: Heard,
): Entry {
  const { heard } = listeners;
  const expected = row.arrives ? 'SUCCESS' : 'REFUSED';
  const isRedirect = row.id === 'exfil-redirect';
  const ran = out.includes(`"id": "${row.id}"`);
  const at = [
    ...(heard.decoy.includes(token) ? ['TCP listener'] : []),
    ...(heard.udp.toLowerCase().includes(token.toLowerCase()) ? ['UDP listener'] : []),
    ...(!row.arrives && !isRedirect && heard.api.includes(token)
      ? ['the allowed host, by a way that is not allowed']
      : []),
    ...['/var/tmp', '/dev/shm', join(setting.ground.root, 'other')].filter((folder) => existsSync(join(folder, token))),
  ];
  const arrived = row.arrives || isRedirect ? heard.api.includes(token) : true;
  const said =
    out
      .split('\n')
      .find((line) => line.includes(`"id": "${row.id}"`))
      ?.replace(/^.*"evidence": /, '')
      .slice(0, 200) ?? err.slice(-200);
  const verdict = !ran || !arrived ? 'INCONCLUSIVE' : at.length > 0 ? 'ALLOWED' : expected;
  return {
    id: row.id,
    from: 'escape-cases 9, 12',
    attempt: row.attempt,
    kind: row.arrives ? 'work' : 'boundary',
    ...where,
    expected: where.held === 'advisory' ? 'n/a' : expected,
    verdict,
    matches: where.held === 'advisory' ? null : verdict === expected,
    line: at.length > 0 ? `arrived at ${at.join(', ')}` : `no listener outside heard it; inside: ${said}`,
  };
}
