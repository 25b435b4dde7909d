/**
 * Inspection of one session from inside its process: the hub with the session's actors, notices and records, behind the paths
 * `/inspect` and `/ui/` of its door. Loaded only under `mur run --inspect`. Read-only: nothing here can change what the session does.
 */

import { unlinkSync } from 'node:fs';
import type { AnyActorRef } from 'xstate';
import type { SessionContext } from '../../machines/session/machine.js';
import type { ContainmentDecision } from '../containment/decide.js';
import type { SessionWorld } from '../effects/world.js';
import { reasonOf } from '../errors/index.js';
import { grantedOf } from '../scope/index.js';
import { needed } from '../stage/draft.js';
import { idTimeMs } from '../supervise/ids.js';
import type { SessionNotice } from '../supervise/notice.js';
import { Access } from './access.js';
import { batched, Client } from './client.js';
import { createEndpoint, type Endpoint } from './endpoint.js';
import type { EndedView } from './frame.js';
import { Hub } from './hub.js';
import type { FrameBody } from './item.js';
import { limits } from './limits.js';
import { Notes } from './notes.js';
import { noteBody } from './records/bodies.js';
import { findConversation } from './records/conversations.js';
import { followRecords } from './records/follower.js';
import { recordCaps, redact } from './redact.js';
import { SecretTexts } from './secrets.js';
import { statelyMessages } from './stately.js';
import type { Following } from './subject.js';
import { tokenPath, writeToken } from './token-file.js';

export class SessionInspection {
  /** Serves the paths of inspection on the session's door. */
  readonly endpoint: Endpoint;
  readonly #world: SessionWorld;
  readonly #access = new Access();
  readonly #secrets: SecretTexts;
  readonly #notes: Notes;
  #root: AnyActorRef | undefined;
  #hub: Hub | undefined;
  #isEnding = false;

  constructor(world: SessionWorld) {
    this.#world = world;
    this.#secrets = new SecretTexts(() => [...world.secrets.all(), this.#access.token]);
    this.#notes = new Notes(this.#secrets, () => world.draft.clock.now());
    this.endpoint = createEndpoint({
      access: this.#access,
      hasRoom: () => this.#hub !== undefined && this.#hub.clients < limits.clients,
      connected: (socket, isStately) => {
        const client = new Client(socket, isStately ? statelyMessages : batched, limits);
        if (this.#hub?.connect(client) !== true) client.terminate();
      },
    });
  }

  /** The session's root actor, before it starts. */
  begin(root: AnyActorRef): void {
    this.#root = root;
  }

  notice(notice: SessionNotice): void {
    this.#notes.add(notice);
  }

  /** Begins to answer on a door that listens, and writes the token file. Returns the address of the page, which works once. */
  open(port: number): string {
    const { draft } = this.#world;
    const sys = needed(draft.sessionId, 'mint');
    const root = needed(this.#root, 'begin');
    this.#access.listensOn(port);
    this.#hub = new Hub({ scope: sys, now: () => draft.clock.now() });
    this.#hub.add({
      sys,
      root,
      describe: () => this.#describe(sys),
      redactText: this.#secrets.redact,
      placeOf: (ref, event) => this.#world.recorder.placeOf(ref, event),
      follow: (report) => this.#follow(sys, report),
    });
    try {
      writeToken(draft.home, sys, this.#access.token);
    } catch (error) {
      draft.warn('W-RUN-904', `the inspection token could not be written: ${reasonOf(error)}`);
    }
    return this.#access.link();
  }

  /** Tells the clients how it ended and closes their connections. */
  async close(): Promise<void> {
    this.#isEnding = true;
    await this.#hub?.close('the session has ended');
    this.#hub = undefined;
    try {
      unlinkSync(tokenPath(this.#world.draft.home, needed(this.#world.draft.sessionId, 'mint')));
    } catch {
      // It went with the running record.
    }
  }

  #follow(sys: string, report: (body: FrameBody) => void): Following {
    const { draft } = this.#world;
    const context = { sys, redactText: this.#secrets.redact };
    const store = draft.request.context.recordStore ?? draft.request.capsuleName;
    const isRecorded = draft.request.context.record;
    const records = followRecords(
      {
        ...context,
        recordsDir: needed(draft.folders, 'mint').recordsDir,
        startedAt: idTimeMs(sys) ?? 0,
        conversation: (contextId) => (isRecorded ? findConversation(draft.home, store, contextId) : undefined),
      },
      report,
    );
    this.#world.recorder.keepPlaces(true);
    this.#notes.onNote = (note, at) => report(noteBody(context, note, at));
    const notes = this.#notes;
    return {
      past: (isAgain) => joined(isAgain ? [] : notes.past(context), records.past(isAgain)),
      flush: () => records.flush(),
      stop: () => {
        this.#notes.onNote = undefined;
        this.#world.recorder.keepPlaces(false);
        records.stop();
      },
    };
  }

  #describe(sys: string): FrameBody & { readonly type: 'session' } {
    const { draft, url } = this.#world;
    const { request, folders, reach, inventory, gateways, clock } = draft;
    const { scopeReport } = draft;
    const grants = scopeReport === undefined ? null : redact(scopeReport, this.#secrets.redact, recordCaps).value;
    return {
      type: 'session',
      sys,
      at: clock.now(),
      capsule: { name: request.capsuleName, version: request.capsuleVersion },
      kind: request.inference === undefined ? 'script' : 'agent',
      source: 'live',
      sourceNote: request.context.record ? null : 'this capsule records no conversation (context.record: false)',
      url: url ?? null,
      pid: process.pid,
      startedAt: idTimeMs(sys) ?? null,
      recordsDir: folders?.recordsDir ?? null,
      workdir: folders?.accessibleWorkdir ?? null,
      model: request.inference?.model ?? null,
      driver: draft.driver?.artifact.name ?? null,
      maxTurns: request.inference?.maxTurns ?? null,
      tools: inventory?.items.map(({ name }) => name) ?? [],
      containment: reach === undefined ? null : containmentOf(reach.decision),
      grants: grants === null ? null : grantedOf(grants as Readonly<Record<string, unknown>>),
      gateways: [...gateways].map(([artifact, { route, credential }]) => ({
        artifact,
        host: route.upstream.host,
        credentialSource: credential.source,
      })),
      liveness: {
        verdict: this.#isEnding ? 'Gone' : 'Live',
        reason: this.#isEnding ? 'the session has ended' : null,
        evidence: [`process ${process.pid} answers from within the session`],
        at: clock.now(),
      },
      ended: this.#isEnding ? this.#ending() : null,
    };
  }

  #ending(): EndedView {
    const context = this.#root?.getSnapshot()?.context as SessionContext | undefined;
    const fault = context?.fault ?? null;
    return {
      status: context?.status ?? 'ok',
      at: this.#world.draft.clock.now(),
      fault: fault === null ? null : { ...fault, message: this.#secrets.redact(fault.message) },
    };
  }
}

async function* joined<T>(first: Iterable<T>, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}

function containmentOf({ floor, achieved, mechanism, noTierBecause }: ContainmentDecision) {
  return { declared: floor, achieved, reason: noTierBecause ?? mechanism };
}
