import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine, StateNode } from 'xstate';
import { charts } from '../../machines/index.js';
import { statesOf } from './walk.js';

const root = resolve('machines');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** Names that reach a clock, randomness, the environment, or anything else outside the machine. */
const impure = [
  ...['Date', 'Math.random', 'performance', 'process', 'crypto', 'globalThis', 'global', 'require', 'fetch'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'console', 'Buffer', 'Worker', 'eval'],
];

describe.each(files)('machines/%s', (file) => {
  const code = readFileSync(join(root, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '$1');
  const text = code.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");

  it('imports xstate, other machine files, and types', () => {
    const imports = [...code.matchAll(/(?:import|export)\s+(type\s+)?[^;]*?from\s+'([^']+)'/g)];
    const outside = imports
      .filter(([, typeOnly]) => typeOnly === undefined)
      .map(([, , specifier]) => specifier!)
      .filter((specifier) => {
        if (specifier === 'xstate') return false;
        return (
          !specifier.startsWith('.') || relative(root, resolve(dirname(join(root, file)), specifier)).startsWith('..')
        );
      });
    expect(outside).toEqual([]);
    expect(text).not.toMatch(/\bimport\s*\(/);
    expect(text).not.toMatch(/^\s*import\s+'/m);
  });

  it('reaches no clock, randomness, environment, file or timer', () => {
    const found = impure.filter((name) => new RegExp(`(?<![\\w.'])${name.replace('.', '\\.')}\\b(?!\\s*:)`).test(text));
    expect(found).toEqual([]);
  });
});

describe.each(Object.entries(charts))('the chart %s', (_, { machine }) => {
  const nodes = [machine.root as StateNode, ...statesOf(machine)];

  it('names every guard, action, actor and delay, because names are what charts, logs and replay show', () => {
    const inline = nodes.flatMap((node) => {
      const transitions = [...node.transitions.values()].flat().concat(node.always ?? [], node.initial ?? []);
      return [
        ...[...node.entry, ...node.exit].filter(isInline).map(() => `${node.id}: entry or exit`),
        ...transitions
          .filter((each) => each.actions.some(isInline))
          .map((each) => `${node.id}: action on ${each.eventType}`),
        ...transitions
          .filter((each) => isInlineGuard(each.guard))
          .map((each) => `${node.id}: guard on ${each.eventType}`),
        ...node.invoke
          .filter((each) => typeof each.src !== 'string' || /^xstate\.invoke/.test(each.src))
          .map(() => `${node.id}: actor`),
        ...node.after.filter((each) => typeof each.delay === 'function').map(() => `${node.id}: delay`),
      ];
    });
    expect(inline).toEqual([]);
  });

  it('gives every invoke an id, because made-up ids differ from run to run', () => {
    const unnamed = nodes.flatMap((node) =>
      node.invoke.filter(({ id }) => id.startsWith(`0.${node.id}`)).map(({ id }) => id),
    );
    expect(unnamed).toEqual([]);
  });

  it('has no bare wildcard where an effect runs: it would swallow the failure of the effect', () => {
    const swallowing = nodes.filter((node) => node.transitions.has('*') && invokesBelow(machine, node));
    expect(swallowing.map((node) => node.id)).toEqual([]);
  });

  it('answers the failure of every effect it invokes', () => {
    const unanswered = nodes.flatMap((node) =>
      node.invoke
        .map(({ id }) => ({ id, name: `${node.id}: ${id}` }))
        .filter(({ id }) => !handles(node, `xstate.error.actor.${id}`))
        .map(({ name }) => name),
    );
    expect(unanswered).toEqual([]);
  });
});

/** Built-in actions are functions too. The raise and the cancel behind `after` are the only ones a chart may hold unnamed. */
function isInline(action: unknown): boolean {
  return typeof action === 'function' && !/^xstate\.(?:raise|cancel)$/.test((action as { type?: string }).type ?? '');
}

function isInlineGuard(guard: unknown): boolean {
  if (guard === undefined || typeof guard === 'string') return false;
  if (typeof guard !== 'function') return false;
  const composed = (guard as { guards?: readonly unknown[] }).guards; // and(), or(), not()
  return composed === undefined || composed.some(isInlineGuard);
}

/** Whether the state or something inside it runs an effect. */
function invokesBelow(machine: AnyStateMachine, node: StateNode): boolean {
  return [node, ...statesOf(machine).filter((state) => state.id.startsWith(`${node.id}.`))].some(
    (each) => each.invoke.length > 0,
  );
}

function handles(node: StateNode | undefined, type: string): boolean {
  if (node === undefined) return false;
  return node.transitions.has(type) || handles(node.parent as StateNode | undefined, type);
}
