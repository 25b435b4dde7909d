import type { MurError } from '../errors/index.js';
import type { Clock } from '../supervise/clock.js';
import type { SessionNotice } from '../supervise/notice.js';
import { announcement, type Listening, type OutputMode, type Staged, statusLine } from './announce.js';
import { keepLine } from './bootstrap-log.js';
import { errorText, type Output, warningLine } from './output.js';
import { plainAnswer, plainLines } from './plain.js';
import { advance, type Look, liveLines, type Progress, startProgress } from './progress.js';
import { readable } from './readable.js';
import { block } from './safe-text.js';
import { repaint } from './screen.js';
import { canRedraw, type Glyphs, glyphsFor, type Style, styleFor, wantsColor } from './style.js';

export interface RunViewOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly mode: OutputMode;
  readonly isVerbose: boolean;
  /** No progress; warnings and errors stay. */
  readonly isQuiet: boolean;
  readonly noColor: boolean;
}

/** How a run ended, as far as the screen is concerned. */
export interface RunEnding {
  readonly status: string;
  readonly answer?: string | undefined;
  readonly error?: MurError | undefined;
}

const redrawMs = 80;

/**
 * What one `mur run` shows, on both streams. `live`: progress redrawn on a terminal. `plain`: log lines. `quiet`: none.
 * It only prints; it decides nothing about the session.
 */
export class RunView {
  readonly #options: RunViewOptions;
  readonly #style: Style;
  readonly #glyphs: Glyphs;
  readonly #kind: 'live' | 'plain' | 'quiet';
  #progress: Progress;
  #live: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #staged: Staged | undefined;
  #answered = false;

  constructor(options: RunViewOptions) {
    this.#options = options;
    const { stderr, env, noColor, mode } = options;
    const facts = { isTerminal: stderr.isTerminal, env, noColor };
    this.#style = styleFor(wantsColor(facts));
    this.#glyphs = glyphsFor(env);
    if (options.isQuiet || mode === 'json') this.#kind = 'quiet';
    else if (canRedraw(facts)) this.#kind = 'live';
    else this.#kind = mode === 'print' ? 'quiet' : 'plain';
    this.#progress = startProgress(options.clock.monotonic());
    if (this.#kind === 'live') {
      this.#timer = setInterval(() => this.#draw([]), redrawMs);
      this.#timer.unref();
      this.#draw([]);
    }
  }

  notice(notice: SessionNotice): void {
    if (notice.type === 'session.staged') this.#stage(notice);
    if (this.#kind === 'live') this.#advance(notice);
    else if (this.#kind === 'plain') this.#log(plainLines(notice));
    if (notice.type === 'warning') this.#log([warningLine(notice, this.#style)]);
    if (notice.type === 'session.staged' && notice.hasDoor === false) this.#announce(undefined);
    if (notice.type === 'door.listening') this.#announce(notice);
    if (notice.type === 'task.ended' && notice.answer !== undefined) this.#answer(notice.answer);
  }

  /** The last lines. Nothing is redrawn afterwards. */
  end(ending: RunEnding): void {
    this.#stop();
    const { mode } = this.#options;
    if (mode === 'print') this.#printAnswer(ending.answer);
    if (mode === 'human') {
      if (!this.#answered && ending.answer !== undefined) this.#answer(ending.answer);
      if (!this.#answered) this.#space();
      this.#print([statusLine(ending.status)]);
    }
    if (ending.error !== undefined) this.fail(ending.error);
  }

  /** A launch that ended before there was a session to speak of. */
  fail(error: MurError): void {
    this.#stop();
    this.#options.stderr.write(errorText(error, this.#style));
  }

  /** One more line for people, after the end: what to try next. */
  suggest(line: string): void {
    if (this.#kind !== 'quiet') this.#log([this.#style.dim(line)]);
  }

  #stage(staged: Staged): void {
    this.#staged = staged;
    const keep = (text: string) => keepLine(staged.recordsDir, text);
    // JSON on stdout is for programs: it never reaches a log for people (spec/cli.md 11.6).
    if (this.#options.mode !== 'json') this.#options.stdout.onLost = keep;
    this.#options.stderr.onLost = keep;
  }

  #announce(door: Listening | undefined): void {
    if (this.#staged === undefined) return;
    this.#print(announcement(this.#options.mode, this.#options.isVerbose, this.#staged, door));
  }

  #answer(answer: string): void {
    if (this.#options.mode !== 'human' || answer.trim() === '') return;
    this.#answered = true;
    if (this.#options.stdout.isTerminal) this.#print(['', ...readable(answer, this.#look().columns), '']);
    else if (this.#kind !== 'quiet') this.#log(plainAnswer(answer));
  }

  /** For a pipe the answer is passed on as it is; a terminal gets it made safe. */
  #printAnswer(answer: string | undefined): void {
    if (answer === undefined) return;
    const { stdout } = this.#options;
    this.#space();
    stdout.write(`${(stdout.isTerminal ? block(answer) : answer).trimEnd()}\n`);
  }

  /** An empty line between the progress and what follows it, where a person sees both. */
  #space(): void {
    if (this.#kind === 'live' && this.#options.stdout.isTerminal) this.#options.stderr.write('\n');
  }

  #advance(notice: SessionNotice): void {
    const { progress, lines } = advance(this.#progress, notice, this.#options.clock.monotonic(), this.#look());
    this.#progress = progress;
    // Streamed text waits for the next tick, so a fast model costs no more screen than a slow one.
    if (notice.type !== 'text.chunk' && notice.type !== 'thinking.chunk') this.#draw(lines);
  }

  #draw(lines: readonly string[]): void {
    const look = this.#look();
    const live = liveLines(this.#progress, this.#options.clock.monotonic(), look);
    const isSame = live.length === this.#live.length && live.every((line, index) => line === this.#live[index]);
    if (lines.length === 0 && isSame) return;
    this.#options.stderr.write(repaint(this.#live, lines, live, look.columns));
    this.#live = live;
  }

  /** Lines on stderr, above whatever is being redrawn. */
  #log(lines: readonly string[]): void {
    if (this.#kind === 'live') this.#draw(lines);
    else this.#options.stderr.write(lines.map((line) => `${line}\n`).join(''));
  }

  /** Lines on stdout. When both streams are the terminal, the redrawn lines step aside first. */
  #print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const { stdout, stderr } = this.#options;
    const isShared = this.#live.length > 0 && stdout.isTerminal;
    if (isShared) stderr.write(repaint(this.#live, [], [], this.#look().columns));
    if (isShared) this.#live = [];
    stdout.write(lines.map((line) => `${line}\n`).join(''));
    if (isShared) this.#draw([]);
  }

  #stop(): void {
    if (this.#kind !== 'live' || this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#options.stderr.write(repaint(this.#live, [], [], this.#look().columns));
    this.#live = [];
    this.#progress = { ...this.#progress, activities: new Map(), said: '' };
  }

  #look(): Look {
    const { columns = 80, rows = 24 } = this.#options.stderr.stream;
    return { columns: columns || 80, rows: rows || 24, style: this.#style, glyphs: this.#glyphs };
  }
}
