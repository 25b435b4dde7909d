/** Whether anything leaves a box of a session that may talk to `api.example` only. */
import { join } from 'node:path';
import { dialer, openSessionNetwork } from '../../src/containment/egress/index.js';
import { parseAllowEntry } from '../../src/policy/network.js';
import { exfiltration, exfiltrationHelpers } from './cases/network.js';
import { arrivals, hasArrived, type Listeners, listen, ownAddress, tokenOf } from './listeners.js';
import { pythonOf } from './python.js';
import type { Entry, Where } from './record.js';
import { factsOf, openKind, run, type Setting } from './session.js';

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
    const { token: name } = setting.ground;
    const facts = { ...factsOf(inside, box), ...factsOfNetwork(listeners) };
    const { out, err } = await run(box, inside, 'python3', ['-I', '-'], {
      stdin: Buffer.from(pythonOf(attemptsOf(name), facts)),
    });
    // What was sent is on its way at most this long: everything is on the loopback.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const heard = { ...listeners.heard, unix: setting.ground.heard.unix };
    return [
      ...exfiltration.map((each): Entry => judged(each, tokenOf(each.id, name), { heard, where, setting, out, err })),
      ...(await besides(inside, listeners.api)),
    ];
  } finally {
    await box.close();
    await network.close();
    await listeners.close();
  }
}

/** The attempts, each with its token. */
export function attemptsOf(name: string): readonly { readonly id: string; readonly code: string }[] {
  return exfiltration.map(({ id, code }) => ({
    id,
    code: `TOKEN = ${JSON.stringify(tokenOf(id, name))}.encode()\n${exfiltrationHelpers.trim()}\n${code.trim()}`,
  }));
}

/** What the attempts know about their surroundings. */
export function factsOfNetwork({ api, decoy, udp }: Listeners): Readonly<Record<string, string | number>> {
  return { api, decoy, decoy6: decoy, udp, udp6: udp, address: ownAddress() };
}

interface Heard {
  readonly heard: Listeners['heard'];
  readonly where: Where;
  readonly setting: Setting;
  readonly out: string;
  readonly err: string;
}

function judged(row: (typeof exfiltration)[number], token: string, { heard, where, setting, out, err }: Heard): Entry {
  const expected = row.arrives ? 'SUCCESS' : 'REFUSED';
  const ran = out.includes(`"id": "${row.id}"`);
  const at = arrivals(row, token, heard, [join(setting.ground.root, 'other')]);
  const said =
    out
      .split('\n')
      .find((line) => line.includes(`"id": "${row.id}"`))
      ?.replace(/^.*"evidence": /, '')
      .slice(0, 200) ?? err.slice(-200);
  const verdict = !ran || !hasArrived(row, token, heard) ? 'INCONCLUSIVE' : at.length > 0 ? 'ALLOWED' : expected;
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
