import { createActor } from 'xstate';
import type { Fault } from '../../machines/effect.js';
import { registryLogic } from '../effects/registry-watch.js';
import { locateMurmurHome } from '../home/murmur-home.js';
import { systemClock } from '../supervise/clock.js';
import { listen, observe } from '../supervise/observe.js';
import type { CliContext, ExitStatus } from './context.js';
import { errorOfFault } from './fault.js';
import type { PsFlags } from './ps.js';
import { PsView } from './ps-view.js';

/** Longest time until a record is noticed where the folder cannot be watched. */
const relistMs = 2_000;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Shows the sessions of this machine until a signal comes or nobody reads any more. Ends 0 then; throws why when the records can
 * no longer be read.
 */
export async function watchSessions(flags: PsFlags, context: CliContext): Promise<ExitStatus> {
  const actor = createActor(registryLogic(locateMurmurHome(context.env)), { input: { relistMs } });
  const view = new PsView({ ...context, clock: systemClock, flags });
  const end = (): void => actor.send({ type: 'stop.requested' });
  context.stdout.onLost = end;
  for (const signal of signals) process.on(signal, end);
  try {
    const fault = await new Promise<Fault | null>((resolve, reject) => {
      observe(actor, {
        next: ({ context: { rows, known, listedAt } }) => {
          if (listedAt !== null) view.show(rows, known.length);
        },
        error: reject,
        complete: () => resolve(actor.getSnapshot().output?.fault ?? null),
      });
      for (const type of ['row.added', 'row.changed', 'row.removed'] as const) {
        listen(actor, type, (event) => view.tell(event), reject);
      }
      actor.start();
    });
    if (fault !== null) throw errorOfFault(fault);
    return 0;
  } finally {
    view.end();
    for (const signal of signals) process.off(signal, end);
    actor.stop();
  }
}
