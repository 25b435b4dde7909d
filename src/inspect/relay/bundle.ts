import { readBundle } from '../../replay/index.js';
import { idTimeMs } from '../../supervise/ids.js';
import { asPast, messageBody, traceBody } from '../records/bodies.js';
import { SessionFacts } from '../records/describe.js';
import { Steps } from '../records/steps.js';
import { Tasks } from '../records/tasks.js';
import type { TextRedactor } from '../redact.js';
import type { Sink } from './sink.js';
import { FrameWriter } from './writer.js';

/** Shows a session somebody sent as a bundle. Everything in it is untrusted, as everything in a session is. */
export async function showBundle(path: string, redactText: TextRedactor, sink: Sink): Promise<void> {
  const bundle = readBundle(path);
  const sys = bundle.header.session_id;
  const context = { sys, redactText };
  const out = new FrameWriter(sink);
  const facts = new SessionFacts({ sessionId: sys, recordsDir: path }, redactText);
  const tasks = new Tasks();
  for (const line of bundle.trace) {
    facts.heard(line);
    tasks.heard(line);
  }
  const exported = new Date(bundle.header.exported_at).toISOString();
  const evidence = [`a bundle written by mur ${bundle.header.mur} at ${exported}`, ...bundle.warnings];
  const liveness = { verdict: 'Gone' as const, reason: 'it was recorded', evidence, at: Date.now() };
  const bodies = bundle.header.left_out?.blobs;
  const note =
    bodies === undefined
      ? 'a bundle: what was private has been taken out'
      : `a bundle: what was private has been taken out, and ${Number(bodies.files)} bodies of requests and responses`;
  await out.write(facts.describe(Date.now(), liveness, undefined, note));
  const steps = new Steps(context);
  for (const line of bundle.events) for (const body of steps.bodies(line)) await out.write(body);
  for (const line of bundle.trace) {
    const body = traceBody(context, line);
    if (body !== undefined) await out.write(asPast(body));
  }
  for (const { context: contextId, line } of bundle.conversations) {
    const at = typeof line.id === 'string' ? (idTimeMs(line.id) ?? 0) : 0;
    const body = messageBody(context, contextId, tasks.taskAt(contextId, at), line);
    if (body !== undefined) await out.write(asPast(body));
  }
  await out.write({ type: 'synced', sys, at: Date.now() });
  await out.flush();
}
