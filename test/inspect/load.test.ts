/** Two hundred busy sessions, five watchers of whom one reads nothing. Ratios are the business of `npm run bench -- inspect`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { limits } from '../../src/inspect/limits.js';
import { busySession } from './busy.js';
import { hubForTest, Watcher } from './wire.js';

it('200 busy sessions and 5 watchers: queues stay bounded, losses are told, everybody ends with the same picture', async () => {
  const { hub, port, token, clients } = await hubForTest();
  const busy = Array.from({ length: 200 }, (_, at) => busySession(`ses_${at}`));
  onTestFinished(() => {
    for (const session of busy) session.stop();
  });
  for (const { subject } of busy) hub.add(subject);
  const watchers: Watcher[] = [];
  for (let at = 0; at < 5; at += 1) {
    const watcher = new Watcher(port, token);
    watchers.push(watcher);
    await watcher.until(() => watcher.of('hello').length === 1);
  }
  const [stalled, ...reading] = watchers;
  stalled!.socket.pause();
  const ends = busy.map((session) => session.keepBusy(0));
  let mostWaiting = 0;
  let mostBacklog = 0;
  const tasks = () => busy.reduce((sum, session) => sum + session.tasks, 0);
  while (tasks() < 800) {
    await sleep(20);
    mostWaiting = Math.max(mostWaiting, ...clients.map((client) => client.waitingFrames));
    mostBacklog = Math.max(mostBacklog, hub.backlog);
  }
  for (const end of ends) end();
  expect(mostWaiting).toBeLessThan(limits.waitingFrames + limits.waitingKept + limits.messageFrames);
  expect(mostBacklog).toBeLessThanOrEqual(limits.backlog);

  stalled!.socket.resume();
  const rest = () => Object.fromEntries(busy.map(({ sys, root }) => [sys, root.getSnapshot().context.ended.queued]));
  const seen = (watcher: Watcher) => {
    const counts: Record<string, number> = {};
    for (const frame of watcher.frames) {
      if ((frame.type === 'snap' || frame.type === 'actor') && frame.id === 'session' && frame.snap.c !== undefined) {
        counts[frame.sys] = (frame.snap.c as { ended: { queued: number } }).ended.queued;
      }
    }
    return counts;
  };
  for (const watcher of [...reading, stalled!]) {
    await watcher.until(() => {
      const counts = seen(watcher);
      return Object.entries(rest()).every(([sys, queued]) => counts[sys] === queued);
    });
  }
  expect(watchers.some((watcher) => watcher.of('lost').some(({ ev, snap }) => ev + snap > 0))).toBe(true);
}, 60_000);
