import type { Style } from './style.js';

/** What bare `mur` says: what it is, and the three commands to try. */
export function welcome(version: string, style: Style): string {
  const { bold, dim, cyan } = style;
  const commands: readonly (readonly [string, string])[] = [
    ['mur run', 'run the capsule whose murmur.yaml is in this folder'],
    ['mur run --print --task "Say hello"', 'give it a task of yours and print only its answer'],
    ['mur inspect', 'see sessions in a browser: charts, calls, time travel'],
  ];
  const columns = Math.max(...commands.map(([command]) => command.length));
  const lines = commands.map(([command, what]) => `  ${cyan(command.padEnd(columns))}   ${dim(what)}`);
  return [
    `${bold('mur')} ${version}`,
    '',
    'Runs packaged AI agents ("capsules") in isolation, from one manifest. A capsule reaches a file, a host or a',
    'variable only when its manifest names it, and each run leaves a record that can be read afterwards.',
    '',
    'Try:',
    ...lines,
    '',
  ].join('\n');
}
