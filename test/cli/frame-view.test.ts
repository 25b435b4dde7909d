import { describe, expect, it } from 'vitest';
import { FrameView, type FrameViewOptions, frameJson, frameOf, lossOf, taskIn } from '../../src/cli/frame-view.js';
import { styleFor } from '../../src/cli/style.js';

const frame = (event: string, data: unknown, id?: string) =>
  frameOf({ event, data: JSON.stringify(data), ...(id === undefined ? {} : { id }) });

function shown(...frames: readonly [string, unknown][]): string {
  return shownWith({}, ...frames);
}

function shownWith(options: FrameViewOptions, ...frames: readonly [string, unknown][]): string {
  let text = '';
  const view = new FrameView(
    (more) => {
      text += more;
    },
    styleFor(false),
    options,
  );
  for (const [event, data] of frames) view.show(frame(event, data));
  view.end();
  return text;
}

const status = (state: string, message: string, final = false) => ({ id: 'tsk_1', status: { state, message }, final });
const artifact = (more: object) => ({
  id: 'tsk_1',
  artifact: { tool_name: 'bash', content: 'one\ntwo\n', is_error: null, exit_code: null, duration_ms: null, ...more },
});

describe('frames for people (spec/door.md 15.6)', () => {
  it('a status is its state and message on one line', () => {
    expect(shown(['status', status('working', 'inference turn 1')])).toBe('[working]  inference turn 1\n');
  });

  it('an artifact tells its outcome, and further lines are indented two', () => {
    const all = { is_error: true, exit_code: 2, duration_ms: 12.4, truncated: true };
    expect(shown(['artifact', artifact(all)])).toBe(
      '[artifact] tool: bash [error, exit 2, 12ms, truncated] | one\n  two\n',
    );
    expect(shown(['artifact', artifact({})])).toBe('[artifact] tool: bash | one\n  two\n');
  });

  it('text runs on as it comes, indented, and a frame of another kind begins a new line', () => {
    const text = shown(
      ['text', { text: 'Hel', final: false }],
      ['text', { text: 'lo\nwor', final: false }],
      ['text', { text: 'ld', final: false }],
      ['status', status('completed', 'session ended', true)],
    );
    expect(text).toBe('  Hello\n  world\n[completed]\n');
  });

  it('empty lines between paragraphs are kept, before and after a text they are not', () => {
    const text = shown(
      ['text', { text: '\n\none\n', final: false }],
      ['text', { text: '\n', final: false }],
      ['text', { text: 'two\n\nthree\n\n', final: true }],
      ['text', { text: 'four\n\n', final: false }],
      ['status', status('failed', 'session ended', true)],
    );
    expect(text).toBe('  one\n\n  two\n\n  three\n  four\n[failed]  session ended\n');
  });

  it('a call is told when the model begins to write it', () => {
    expect(shown(['tool-call-started', { id: 'tsk_1', tool_call_id: 'c', tool_name: 'bash\n[completed]' }])).toBe(
      '[calling]  bash [completed]\n',
    );
  });

  it('where frames of several tasks come, a line says whose begin', () => {
    const text = (id: string, text: string): [string, unknown] => ['text', { id, text, final: false }];
    expect(shownWith({ namesTasks: true }, text('tsk_1', 'a'), text('tsk_1', 'b'), text('tsk_2\nx', 'c'))).toBe(
      '[task]  tsk_1\n  ab\n[task]  tsk_2 x\n  c\n',
    );
  });

  it('a long result is cut for who reads along, and says by how much', () => {
    const content = 'one\ntwo\nthree\nfour\n';
    const of = (resultLines: number) => shownWith({ resultLines }, ['artifact', artifact({ content })]);
    expect(of(2)).toBe('[artifact] tool: bash | one\n  two\n  ... 2 more lines\n');
    expect(of(3)).toMatch(/three\n {2}\.\.\. 1 more line\n$/);
    expect(of(4)).toMatch(/four\n$/);
  });

  it('an empty last chunk only ends the line', () => {
    expect(shown(['text', { text: 'a', final: false }], ['text', { text: '', final: true }])).toBe('  a\n');
  });

  it('nothing a capsule says passes for a line of ours or reaches the terminal as a command', () => {
    const evil = 'x\n[completed]  done\x1b[2J\rgone';
    for (const text of [
      shown(['text', { text: evil, final: true }]),
      shown(['status', status('working', evil)]),
      shown(['artifact', artifact({ content: evil, tool_name: evil })]),
    ]) {
      expect(text.match(/^\[completed\]/m)).toBeNull();
      expect(text).not.toMatch(/[\x1b\r]/);
    }
  });

  it('events it does not know, heartbeats of data and broken data print nothing and throw nothing', () => {
    expect(shown(['thinking', { text: 'hm' }], ['later', [1]], ['connection-ack', {}])).toBe('');
    expect(frameOf({ event: 'status', data: '{' }).data).toEqual({});
    expect(shown(['status', null])).toBe('[]\n');
  });
});

describe('frames for programs', () => {
  it('are one JSON line with id, event and data', () => {
    expect(frameJson(frame('text', { text: 'a\nb' }, '7'))).toBe('{"id":7,"event":"text","data":{"text":"a\\nb"}}');
    expect(frameJson(frame('gap', { first_available_id: 3 }))).toBe('{"event":"gap","data":{"first_available_id":3}}');
  });

  it('tell whose they are and whether anything follows', () => {
    expect(taskIn(frame('status', status('completed', '', true)))).toEqual({
      id: 'tsk_1',
      state: 'completed',
      isLast: true,
    });
    expect(taskIn(frame('status', status('input-required', 'which?'))).isLast).toBe(true);
    expect(taskIn(frame('text', { id: 'tsk_1', text: '', final: true })).isLast).toBe(false);
  });

  it('tell what was lost', () => {
    expect(lossOf(frame('lagged', { missed: 4 }))).toBe('this reader was too slow: 4 events were skipped');
    expect(lossOf(frame('gap', { first_available_id: 9 }))).toBe(
      'earlier events are no longer held: the first one is 9',
    );
    expect(lossOf(frame('status', status('working', '')))).toBeUndefined();
  });
});
