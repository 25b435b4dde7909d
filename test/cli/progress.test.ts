import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { advance, type Look, liveLines, type Progress, startProgress } from '../../src/cli/progress.js';
import { repaint } from '../../src/cli/screen.js';
import { glyphsFor, styleFor } from '../../src/cli/style.js';
import { displayWidth } from '../../src/cli/width.js';
import type { SessionNotice } from '../../src/supervise/notice.js';
import { type Beat, story } from './story.js';
import { screenAfter } from './terminal.js';

const look = (columns: number, change: Partial<Look> = {}): Look => ({
  columns,
  rows: 24,
  style: styleFor(true),
  glyphs: glyphsFor({}),
  ...change,
});

/** The bytes a terminal gets for `beats`, redrawn every 80 ms, and the redrawn lines at each moment. */
function play(beats: readonly Beat[], at: Look): { bytes: string; frames: Map<number, readonly string[]> } {
  let progress: Progress = startProgress(0);
  let live: readonly string[] = [];
  let bytes = '';
  const frames = new Map<number, readonly string[]>();
  const draw = (lines: readonly string[], atMs: number) => {
    const next = liveLines(progress, atMs, at);
    bytes += repaint(live, lines, next, at.columns);
    live = next;
    frames.set(atMs, next.map(stripVTControlCharacters));
  };
  let clockMs = 0;
  for (const { atMs, notice } of beats) {
    for (; clockMs < atMs; clockMs += 80) draw([], clockMs);
    const advanced = advance(progress, notice, atMs, at);
    progress = advanced.progress;
    draw(advanced.lines, atMs);
  }
  return { bytes, frames };
}

describe('the log that stays on screen', () => {
  it('reads as a neat list when the run is over', () => {
    expect(screenAfter(play(story, look(72)).bytes, 72)).toEqual([
      '  ✓ compiled           mur-driver-rehearsal                       1.4 s',
      '  ✓ staged             /home/ann/notes/workdir                    1.5 s',
      '',
      '▸ Read the notes and say what was decided.',
      '',
      '  · turn 1             1,204 in · 56 out                          3.0 s',
      '    I look into the folder first, then I read each note in turn, one',
      '    after the other.',
      '  ✓ list               path=.                                     12 ms',
      '  ✗ read               path=monday␛[2J.md limit=9                 1.8 s',
      '    no such file: ␛]0;title␇monday.md',
      '  · turn 2             1,410 in · 20 out                         550 ms',
      '  ✓ completed          2 turns · 2 tool calls                     3.6 s',
      '',
    ]);
  });

  it('keeps a question with the way to answer it, and says what it waits for until then', () => {
    const asked: SessionNotice = {
      type: 'input.requested',
      sessionId: 'ses_0199c4e2f1b7712a9d3e4f5061728394',
      taskId: 'tsk_1',
      prompt: 'Which pump?\x1b[2J\nSay 1 or 2.',
    };
    const waits = advance(startProgress(0), asked, 100, look(60));
    expect(waits.lines.map(stripVTControlCharacters)).toEqual([
      '  ? asks you',
      '    Which pump?␛[2J',
      '    Say 1 or 2.',
      '    answer: mur send 61728394 "..."',
    ]);
    const live = (progress: Progress) => liveLines(progress, 5_000, look(60)).map(stripVTControlCharacters).at(-1);
    expect(live(waits.progress)).toMatch(/ waiting +for your answer +4\.9 s$/);
    const ended = advance(waits.progress, { type: 'input.ended', taskId: 'tsk_1', wasAnswered: true }, 6_000, look(60));
    expect(live(ended.progress)).not.toMatch(/answer/);
  });

  it('shows the beginning of a question without end, and still how to answer it', () => {
    const prompt = `plan \u{1F600} ${'q'.repeat(900_000)}`;
    const asked: SessionNotice = { type: 'input.requested', sessionId: 'ses_61728394', taskId: 'tsk_1', prompt };
    const started = performance.now();
    const { lines } = advance(startProgress(0), asked, 100, look(20));
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(lines.length).toBeLessThan(600);
    const [more, hint] = lines.slice(-2).map(stripVTControlCharacters);
    expect(more).toMatch(/^ {4}\.\.\. \d\d+/);
    expect(hint).toMatch(/^ {4}answer: mur/);
  });

  it('says below a command that it failed, or goes on in the background', () => {
    const call = { taskId: 't', callId: 'c', name: 'bash', status: 'ok', durationMs: 1200, outputBytes: 9 } as const;
    const ended = (became: object) => [{ atMs: 0, notice: { type: 'tool.finished', ...call, ...became } as const }];
    const below = (became: object) => screenAfter(play(ended(became), look(72)).bytes, 72)[1];
    expect(below({ exitCode: 3 })).toBe('    exit 3');
    expect(below({ workId: 'wrk_1' })).toBe('    goes on in the background as wrk_1');
    expect(below({ exitCode: 0 })).toBe('  ⠋ staging');
  });

  it('keeps to a narrow window', () => {
    const { bytes } = play(story, look(34));
    const screen = screenAfter(bytes, 34);
    expect(screen.slice(0, 11)).toEqual([
      '  ✓ compiled mur-driver-re… 1.4 s',
      '  ✓ staged /home/ann/notes… 1.5 s',
      '',
      '▸ Read the notes and say what wa…',
      '',
      '  · turn 1 1,204 in · 56 o… 3.0 s',
      '    I look into the folder first,',
      '    then I read each note in',
      '    turn, one after the other.',
      '  ✓ list path=.             12 ms',
      '  ✗ read path=monday␛[2J.m… 1.8 s',
    ]);
  });

  it('uses plain characters where the locale has no others', () => {
    const { bytes } = play(story, look(72, { glyphs: glyphsFor({ LANG: 'C' }), style: styleFor(false) }));
    expect(bytes).not.toMatch(/[✓✗▸·…⠋]/);
    expect(bytes).not.toMatch(/\x1b\[\d+m/);
  });

  it('keeps what was said when it was not the answer', () => {
    const failed: Beat[] = story.slice(0, -3).concat([
      {
        atMs: 5110,
        notice: {
          type: 'task.ended',
          taskId: 't',
          status: 'failed',
          reason: 'max_turns exceeded',
          turns: 2,
          durationMs: 3590,
        },
      },
      { atMs: 5200, notice: { type: 'session.ended', sessionId: 's', status: 'failed' } },
    ]);
    expect(screenAfter(play(failed, look(72)).bytes, 72).slice(-9)).toEqual([
      '    no such file: ␛]0;title␇monday.md',
      '  · turn 2             1,410 in · 20 out                         550 ms',
      '    The team decided two things:',
      '',
      '    1. Ship on Friday.',
      '    2. 日本語 goes first 🎉',
      '  ✗ failed             2 turns · 2 tool calls                     3.6 s',
      '    max_turns exceeded',
      '',
    ]);
  });
});

describe('the lines that are redrawn', () => {
  const { frames } = play(story, look(72));

  it('name what is going on, and for how long once it takes a second', () => {
    expect(frames.get(80)).toEqual(['  ⠋ compiling          mur-driver-rehearsal']);
    expect(frames.get(1280)?.[0]).toMatch(/^ {2}. compiling {10}mur-driver-rehearsal {23}1\.3 s$/);
    expect(frames.get(1600)?.[0]).toMatch(/^ {2}. thinking {11}rehearsal-1$/);
  });

  it('show the text being written above it', () => {
    expect(frames.get(2640)?.[0]).toBe('    I look into the folder first, then I read each note in turn,');
    expect(frames.get(2640)?.[1]).toMatch(/ writing /);
  });

  it('are gone when the session is over', () => {
    expect([...frames.values()].at(-1)).toEqual([]);
  });

  it('stay few and within the window, whatever is said', () => {
    const long = { ...story[7]!.notice, text: 'word '.repeat(5_000) } as SessionNotice;
    for (const [columns, rows] of [
      [20, 5],
      [40, 8],
      [200, 50],
    ] as const) {
      const at = look(columns, { rows });
      const { progress } = advance(startProgress(0), long, 0, at);
      const lines = liveLines(progress, 100, at);
      expect(lines.length).toBeLessThanOrEqual(Math.min(7, rows - 2));
      for (const line of lines) expect(displayWidth(stripVTControlCharacters(line))).toBeLessThan(columns);
    }
  });

  it('a hostile name cannot move the cursor', () => {
    const notice: SessionNotice = {
      type: 'tool.started',
      taskId: 't',
      turn: 1,
      callId: 'c',
      name: '\x1b[5A\r\nx',
      input: '\x1b[2J',
    };
    const { progress } = advance(startProgress(0), notice, 0, look(60, { style: styleFor(false) }));
    expect(liveLines(progress, 0, look(60, { style: styleFor(false) })).join('')).not.toMatch(/[\x00-\x1f]/);
  });
});

describe('repaint', () => {
  it('overwrites in place instead of clearing first', () => {
    expect(repaint(['old 1', 'old 2'], ['kept'], ['new'], 80)).toBe('\r\x1b[1Akept\x1b[K\nnew\x1b[K\x1b[J');
    expect(repaint([], [], ['new'], 80)).toBe('new\x1b[K\x1b[J');
  });

  it('counts lines that a narrower window has wrapped', () => {
    expect(repaint(['0123456789'], [], [], 4)).toBe('\r\x1b[2A\x1b[J');
  });
});
