import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { charts } from '../../machines/index.js';
import type { ChartFlags } from '../../src/cli/chart.js';
import { drawCharts } from '../../src/cli/chart-draw.js';
import { openReplay } from '../../src/replay/index.js';
import { heldFolder, temporaryFolder } from '../home/temporary.js';
import { rehearseFaithfully } from '../replay/rehearsal.js';
import { memoryOutput } from './memory-stream.js';

async function mur(flags: Partial<ChartFlags>) {
  const stdout = memoryOutput();
  const env = { HOME: temporaryFolder() };
  await drawCharts({ color: false, ...flags }, { stdout: stdout.output, stderr: memoryOutput().output, env });
  return stdout.text();
}

/** The records of a session that was killed in the middle of a tool call. */
async function killedInACall(): Promise<string> {
  const records = heldFolder();
  await rehearseFaithfully(records);
  const log = join(records.path, 'events.jsonl');
  const lines = readFileSync(log, 'utf8').split('\n');
  const admitted = lines.findIndex((line) => line.includes('"xstate.done.actor.admit"'));
  writeFileSync(log, `${lines.slice(0, admitted + 1).join('\n')}\n`);
  return records.path;
}

describe('mur chart', () => {
  it('lists every machine', async () => {
    const text = await mur({});
    for (const id of Object.keys(charts)) expect(text).toMatch(new RegExp(`^${id} `, 'm'));
  });

  it('draws a machine with all its states', async () => {
    expect(await mur({ what: 'turn' })).toMatch(/^╭─ turn ─+╮\n│ ○ preparing/);
  });

  it.each(Object.keys(charts))('%s comes as Mermaid and JSON too', async (what) => {
    expect(await mur({ what, mermaid: true })).toMatch(/^stateDiagram-v2\n/);
    expect(JSON.parse(await mur({ what, json: true }))).toMatchObject({ root: { id: what } });
  });

  it('comes as SVG from the stored drawing', async () => {
    const svg = await mur({ what: 'turn', svg: true });
    expect(svg).toMatch(/^<svg /);
    expect(svg).not.toMatch(/class="[^"]*\bon\b/);
  });

  it('of a session shows where it stands, each machine inside the state that runs it', async () => {
    const text = await mur({ what: await killedInACall() });
    expect(text).toContain('○ staging (8 states)');
    for (const active of ['running', 'serving', 'task', 'active ∥', 'turn', 'tool-call']) {
      expect(text).toMatch(new RegExp(`╭. ${active} `));
    }
    expect(text).toContain('● wasm');
    expect(text).toContain('mur-tool-files');
  });

  it('of a session gives one of its machines as SVG with the active states marked, or as JSON', async () => {
    const what = await killedInACall();
    expect(await mur({ what, machine: 'turn', svg: true })).toMatch(
      /class="state atomic [^"]*\bon\b[^"]*" data-id="turn\.dispatching"/,
    );
    expect(JSON.parse(await mur({ what, json: true }))).toMatchObject({
      active: ['session', 'session.running', 'session.running.serving', 'session.running.serving.working'],
    });
    await expect(mur({ what, machine: 'stop', svg: true })).rejects.toMatchObject({ code: 'E-IO-003' });
  });

  it('of a session that ended is its last state', async () => {
    const records = heldFolder();
    await rehearseFaithfully(records);
    expect(openReplay(records.path).stateAt(1e9).machines).toHaveLength(1);
    expect(await mur({ what: records.path })).toContain('◎ ended');
  });

  it.each([
    ['sesion', "'sesion' is neither a machine nor a recorded session"],
    ['@1', '@1 names no recorded session'],
  ])('%s says what it is not', async (what, message) => {
    await expect(mur({ what })).rejects.toMatchObject({ code: 'E-TRC-002', message: expect.stringContaining(message) });
  });
});
