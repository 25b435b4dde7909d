/**
 * Signals a process whose number is given to another one meanwhile, again and again. Runs as process 1 of a pid namespace, where
 * numbers can be chosen (keeper.sh). Prints what it saw as JSON.
 *
 * node drill.mjs <address of the compiled src/liveness/> <rounds> <folder>
 */
import { execFileSync, spawn } from 'node:child_process';
import { openSync, readSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [liveness, rounds, folder] = [process.argv[2], Number(process.argv[3]), process.argv[4]];
const { createSignaller, processState, startToken } = await import(new URL('index.js', liveness).href);
const { systemKernel } = await import(new URL('kernel.js', liveness).href);

execFileSync('mkfifo', [`${folder}/commands`, `${folder}/answers`]);
const commands = openSync(`${folder}/commands`, 'r+');
const answers = openSync(`${folder}/answers`, 'r+');
const keeper = spawn('sh', [fileURLToPath(new URL('keeper.sh', import.meta.url))], {
  stdio: [commands, answers, 'inherit'],
});
await new Promise((resolve, reject) => keeper.once('spawn', resolve).once('error', reject));

const buffer = Buffer.alloc(64);
/** Blocks this process, so that no turn of the event loop comes between two steps of a signal. */
function ask(command) {
  writeSync(commands, `${command}\n`);
  return Number(buffer.toString('latin1', 0, readSync(answers, buffer, 0, buffer.length, null)));
}

/** Exit statuses the shell reports: of SIGPROF, by which the keeper ends a process, and of the two signals under test. */
const untouched = 128 + 27;
const hit = new Set([128 + 15, 128 + 9]);

/** How often each thing happened. */
const counts = {};
const count = (kind, what) => {
  counts[kind] ??= { rounds: 0 };
  counts[kind][what] = (counts[kind][what] ?? 0) + 1;
};

/** The process is swapped right after it was read and before the signal is sent. */
const swapping = {
  kill: systemKernel.kill,
  look: (pid) => {
    const sighting = systemKernel.look(pid);
    if (ask('swap') === pid) count(kind, 'reused');
    return sighting;
  },
};
const withoutPidfd = () => undefined;
const drills = {
  'swapped between reading and pidfd': { signal: createSignaller({ kernel: swapping }) },
  'swapped before pidfd': { before: true, signal: createSignaller() },
  'swapped before kill': { before: true, signal: createSignaller({ pidfd: withoutPidfd }) },
  // The two that show that the drill would notice: a signal that is meant to arrive, and the window that kill(2) leaves.
  'not swapped': { signal: createSignaller() },
  'swapped between reading and kill': { signal: createSignaller({ kernel: swapping, pidfd: withoutPidfd }) },
};

let kind = '';
for (let round = 0; round < rounds; round += 1) {
  for (const [name, { before, signal }] of Object.entries(drills)) {
    kind = name;
    const pid = ask('start');
    const recorded = { pid, process_start: startToken(pid) };
    if (processState(recorded).verdict === 'Alive') count(kind, 'alive');
    if (before) {
      ask('tick');
      if (ask('swap') === pid) count(kind, 'reused');
    }
    const outcome = signal(recorded, round % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
    count(kind, outcome.via ?? outcome.outcome);
    const status = ask('end');
    count(kind, status === untouched ? 'untouched' : hit.has(status) ? 'hit' : `status ${status}`);
    count(kind, 'rounds');
  }
}
keeper.kill('SIGKILL');
console.log(JSON.stringify(counts));
process.exit(0);
