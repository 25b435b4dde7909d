import type { Style } from './style.js';

/** What bare `mur` says: what it is, the way from nothing to a running capsule, and what to try with one. */
export function welcome(version: string, style: Style): string {
  const { bold, dim, cyan } = style;
  const section = (title: string, commands: readonly (readonly [string, string])[]): string[] => [
    title,
    ...commands.map(([command, what]) => `  ${cyan(command.padEnd(columns))}   ${dim(what)}`),
    '',
  ];
  return [
    `${bold('mur')} ${version}`,
    '',
    'Runs packaged AI agents ("capsules") in isolation, from one manifest. A capsule reaches a file, a host or a',
    'variable only when its manifest names it, and each run leaves a record that can be read afterwards.',
    '',
    ...section('Start something of your own:', beginning),
    ...section('With a capsule:', running),
    dim('mur help lists every command; mur help completion says how your shell learns them'),
    '',
  ].join('\n');
}

const beginning = [
  ['mur new', 'make a capsule, or a tool for one, from a template'],
  ['mur build', 'pack it'],
  ['mur install', 'fetch what the manifest names, and pin it in murmur.lock'],
  ['mur run', 'run the capsule whose murmur.yaml is in this folder'],
] as const;

const running = [
  ['mur run --print --task "Say hello"', 'give it a task of yours and print only its answer'],
  ['mur inspect', 'see sessions in a browser: charts, calls, time travel'],
] as const;

const columns = Math.max(...[...beginning, ...running].map(([command]) => command.length));
