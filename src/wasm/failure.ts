/**
 * The words of a failed call: artifact, limit, manifest key, value. The texts keep upstream's shapes, which models and people
 * already know (spec/session.md 4.5). Not the classification inside the worker (workers/call.ts).
 */
import type { GuestFailure, ModuleMeta } from '../../workers/message.js';
import type { CallFailure, ExecutionLimits, GuestKind } from '../../workers/protocol.js';

export interface Subject {
  readonly kind: GuestKind;
  readonly name: string;
  readonly limits: ExecutionLimits;
}

const limitKey = (field: string): string => `capabilities.limits.${field}`;
const pageBytes = 65536;

export function guestFailure(subject: Subject, failure: GuestFailure): CallFailure {
  const who = `${subject.kind} "${subject.name}"`;
  switch (failure.kind) {
    case 'memory':
      return memoryFailure(subject, failure.wantedBytes);
    case 'table':
      return tableFailure(subject, failure.wantedElements);
    case 'instances':
      return {
        kind: 'resource-limit',
        limit: limitKey('instances'),
        message: `${who}: more core instances than ${limitKey('instances')} (${subject.limits.instances}) allows`,
      };
    case 'value-size':
      return {
        kind: 'resource-limit',
        message: `${who}: a value larger than ${failure.limitBytes} bytes (fixed limit of one result or import call) was refused`,
      };
    case 'exit':
      return {
        kind: 'exit',
        exitCode: failure.exitCode,
        message: `${who} called exit with code ${failure.exitCode} instead of returning`,
      };
    case 'link-error':
      return { kind: 'link-error', message: `${who} could not be linked: ${failure.reason}` };
    case 'trap':
      return { kind: 'trap', message: `${who} trapped: ${failure.reason}` };
  }
}

export function deadlineFailure(subject: Subject): CallFailure {
  const seconds = subject.limits.deadlineMs / 1000;
  const key = limitKey('deadline_seconds');
  const message =
    subject.kind === 'capsule'
      ? `capsule execution exceeded its ${seconds}s deadline (${key}) and was interrupted`
      : `${subject.kind} "${subject.name}" exceeded its ${seconds}s execution deadline (${key}) and was interrupted`;
  return { kind: 'deadline', limit: key, message };
}

export function depthFailure(subject: Subject, depth: number, levels: number): CallFailure {
  return {
    kind: 'resource-limit',
    message: `${subject.kind} "${subject.name}": call depth ${depth} is too deep; calls nest at most ${levels - 1} below the first`,
  };
}

export function abortedFailure(subject: Subject): CallFailure {
  return { kind: 'aborted', message: `${subject.kind} "${subject.name}" was stopped before it returned` };
}

export function lostFailure(subject: Subject, reason: string): CallFailure {
  return { kind: 'worker-lost', message: `${subject.kind} "${subject.name}" lost its worker: ${reason}` };
}

/** The failure of a component that is too big before it runs, in the same words as a refused growth. */
export function initialSizeFailure(subject: Subject, modules: Iterable<ModuleMeta>): CallFailure | undefined {
  for (const { memoryPages, tableElements } of modules) {
    for (const pages of memoryPages) {
      if (pages * pageBytes > subject.limits.memoryBytes) return memoryFailure(subject, pages * pageBytes);
    }
    for (const elements of tableElements) {
      if (elements > subject.limits.tableElements) return tableFailure(subject, elements);
    }
  }
  return undefined;
}

function memoryFailure({ kind, name, limits }: Subject, wantedBytes: number): CallFailure {
  const key = limitKey('memory_bytes');
  return {
    kind: 'resource-limit',
    limit: key,
    message: `${kind} "${name}": linear memory growth to ${wantedBytes} bytes exceeds ${key} (${limits.memoryBytes})`,
  };
}

function tableFailure({ kind, name, limits }: Subject, wantedElements: number): CallFailure {
  const key = limitKey('table_elements');
  return {
    kind: 'resource-limit',
    limit: key,
    message: `${kind} "${name}": table growth to ${wantedElements} elements exceeds ${key} (${limits.tableElements})`,
  };
}
