import { isExposed } from '../door/exposed.js';
import { type RuntimeManifest, subpathProblem } from '../manifest/index.js';
import type { CapabilityPolicy } from '../policy/index.js';
import { isInterpreter, type PreopenRow, preopenOf } from '../scope/index.js';
import type { Block, Finding } from './doctor-block.js';
import type { CommandHold } from './doctor-commands.js';
import { readOnlyText } from './explain-view.js';

/** What each guest would see of the work folder. */
export function preopensBlock({ artifacts }: RuntimeManifest, nativeTools: readonly string[]): Block {
  const rows = artifacts.filter(({ name }) => !nativeTools.includes(name)).flatMap(preopenOf);
  return {
    key: 'preopens',
    title: 'Filesystem preopens',
    lines: rows.map((row) => {
      const problem = row.scope === null ? undefined : subpathProblem(row.scope);
      return problem === undefined ? `- ${preopenLine(row)}` : badScope(row);
    }),
    json: rows,
  };
}

function preopenLine({ artifact, role, surface, scope }: PreopenRow): string {
  if (surface === 'nothing')
    return `${artifact} (${role}): nothing - a hook is lent a folder only by a scope of its own`;
  if (scope === null) return `${artifact} (${role}): the whole accessible workdir - no filesystem.scope on its entry`;
  return `${artifact} (${role}): one subtree of the accessible workdir: ${scope}`;
}

function badScope({ artifact, role, scope }: PreopenRow): Finding {
  return {
    level: 'warning',
    code: 'E-CAP-002',
    text: `${artifact} (${role}): one subtree of the accessible workdir: <unresolved>`,
    details: [`E-CAP-002: filesystem scope '${scope}' leaves the work folder; mur run will refuse it`],
    fix: `write a scope of '${artifact}' that stays inside the work folder`,
  };
}

/** A doctor knows no session, so it cannot know which of the paths will be there. */
const later = 'what does not exist when a session starts is not mounted: a command can make it and write it';

export function readOnlyBlock({ readOnlyPaths, shellAllow }: CapabilityPolicy, hold: CommandHold): Block {
  const advisoryFor = readOnlyPaths.length === 0 ? [] : shellAllow.filter(isInterpreter);
  const reasons = hold.commands === 'mounts' ? [`  - ${later}`] : [];
  return {
    key: 'read_only',
    title: 'Read-only paths',
    lines:
      readOnlyPaths.length === 0
        ? []
        : [
            ...readOnlyPaths.map((path) => `- ${path}`),
            ...readOnlyText({ ...hold, isWhole: true }, { advisoryFor, reasons: [] }),
            ...reasons,
          ],
    json: {
      paths: readOnlyPaths,
      advisory_for: advisoryFor,
      commands: hold.commands,
      commands_because: hold.because,
    },
  };
}

export function installBlock({ installSkill, installTool, installFromSources }: CapabilityPolicy): Block {
  const from = installFromSources ? 'stores, sources' : 'stores';
  const isGranted = installSkill.length + installTool.length > 0;
  return {
    key: 'install',
    title: 'Install grant',
    lines: isGranted
      ? [
          `install skill: ${installSkill.join(', ') || '<none>'}`,
          `install tool: ${installTool.join(', ') || '<none>'}`,
          `install from: ${from}`,
        ]
      : [],
    json: { skill: installSkill, tool: installTool, from: isGranted ? from.split(', ') : [] },
  };
}

/** Who may use the door; a public one that other machines reach is a warning. */
export function doorBlock({ network: { authentication } }: RuntimeManifest, bind: string): Block {
  const credentials = authentication?.credentials ?? [];
  const named = credentials.map(({ name, scopes }) => `${name} (${scopes.join(', ')})`);
  const line =
    authentication === undefined
      ? 'door: public (no network.authentication)'
      : `door: bearer - ${['operator', ...named].join(', ')}`;
  const isOpen = authentication === undefined && isExposed(bind);
  return {
    key: 'door',
    lines: [
      line,
      ...(isOpen
        ? [
            {
              level: 'warning',
              code: 'W-SEC-032',
              text: `warning[W-SEC-032]: bound to ${bind} without authentication, anyone who can reach the door can send tasks and read the card`,
              fix: 'bind the door to 127.0.0.1, or declare network.authentication',
            } as const,
          ]
        : []),
    ],
    json: {
      bind,
      authentication: authentication === undefined ? null : 'bearer',
      credentials: credentials.map(({ name, scopes }) => ({ name, scopes })),
      exposed: isExposed(bind),
    },
  };
}
