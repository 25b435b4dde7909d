/**
 * Placeholders for effects, and the two shapes an effect may answer with.
 *
 * A machine names what it needs; src/effects supplies it through `provide()`. A failure that the machine has a plan for is an
 * output (`Refused`), never a throw: a throw from an effect is a bug, and every invoke has an `onError` that treats it as one.
 */
import {
  type CallbackActorLogic,
  type EventObject,
  fromCallback,
  fromPromise,
  type NonReducibleUnknown,
  type PromiseActorLogic,
} from 'xstate';

/** An error as plain data: what crosses into a machine, the event log and the screen. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export interface Refused {
  readonly ok: false;
  readonly fault: Fault;
}

export interface Done {
  readonly ok: true;
}

/** Output of an effect that either did its one thing or says why not. */
export type Outcome<Value extends object = object> = (Done & Value) | Refused;

/** A one-shot effect with no implementation yet. Running it unprovided is a bug that names the effect. */
export function oneShot<Output, Input extends NonReducibleUnknown>(name: string): PromiseActorLogic<Output, Input> {
  return fromPromise<Output, Input>(() => Promise.reject(new Error(`effect '${name}' is not provided`)));
}

/** A long-lived effect with no implementation yet. `Told` is what the machine sends it. */
export function ongoing<Input extends NonReducibleUnknown, Told extends EventObject = { type: string }>(
  name: string,
): CallbackActorLogic<Told, Input> {
  return fromCallback<Told, Input>(() => {
    throw new Error(`effect '${name}' is not provided`);
  });
}

/** Any thrown value as plain data. Pure: reads `code`, `message` and `hint` only. */
export function faultOf(error: unknown): Fault {
  const shape = (typeof error === 'object' && error !== null ? error : {}) as Partial<Fault>;
  return {
    code: typeof shape.code === 'string' ? shape.code : 'E-RUN-007',
    message: typeof shape.message === 'string' ? shape.message : String(error),
    ...(typeof shape.hint === 'string' ? { hint: shape.hint } : {}),
  };
}
