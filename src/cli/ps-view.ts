/**
 * What `mur ps --watch` shows. On a terminal: the table, redrawn, and above it a line for each session that is over. Elsewhere
 * a line per change, as text or JSON. It only prints.
 */
import type { RegistryEmitted, SessionRow } from '../../machines/registry/types.js';
import type { Clock } from '../supervise/clock.js';
import { count } from '../text/measure.js';
import type { CliContext } from './context.js';
import type { PsFlags } from './ps.js';
import { arrange, prunedLine, rowJson, tableLines } from './ps-table.js';
import { oneLine } from './safe-text.js';
import { repaint } from './screen.js';
import { canRedraw, type Style, styleFor, wantsColor } from './style.js';
import { cut } from './width.js';

export interface PsViewOptions extends CliContext {
  readonly clock: Clock;
  readonly flags: PsFlags;
}

const tickMs = 1_000;
/** Lines of the screen that are not rows: header, empty line, footer, and one to write on. */
const frameLines = 4;

export class PsView {
  readonly #options: PsViewOptions;
  readonly #style: Style;
  readonly #kind: 'live' | 'lines' | 'json';
  #rows: readonly SessionRow[] = [];
  #known = 0;
  #listed = false;
  #drawn: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PsViewOptions) {
    this.#options = options;
    const { stdout, env, flags } = options;
    const facts = { isTerminal: stdout.isTerminal, env, noColor: !flags.color };
    this.#style = styleFor(wantsColor(facts));
    if (flags.json === true) this.#kind = 'json';
    else this.#kind = canRedraw(facts) ? 'live' : 'lines';
    if (this.#kind === 'live') {
      this.#timer = setInterval(() => this.#draw([]), tickMs); // uptimes grow
      this.#timer.unref();
    }
  }

  /** The rows as they are now. `known` counts records, verified or not. */
  show(rows: readonly SessionRow[], known: number): void {
    const isSame = this.#listed && rows === this.#rows && known === this.#known;
    this.#rows = rows;
    this.#known = known;
    this.#listed = true;
    if (this.#kind === 'live' && !isSame) this.#draw([]);
  }

  /** One change. */
  tell(event: RegistryEmitted): void {
    if (this.#kind === 'json') this.#options.stdout.write(`${JSON.stringify(changeJson(event))}\n`);
    else if (this.#kind === 'lines') this.#options.stdout.write(`${changeLine(event, this.#style)}\n`);
    else if (event.type === 'row.removed') this.#draw([endLine(event)]);
  }

  /** Leaves the last table on the screen. Nothing is written afterwards. */
  end(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    const { stdout } = this.#options;
    stdout.write(repaint(this.#drawn, this.#drawn.slice(0, -2), [], this.#columns));
    this.#drawn = [];
  }

  get #columns(): number {
    return this.#options.stdout.stream.columns || 80;
  }

  #draw(lines: readonly string[]): void {
    if (this.#timer === undefined || !this.#listed) return;
    const { stdout, clock } = this.#options;
    const columns = this.#columns;
    const room = Math.max(1, (stdout.stream.rows || 24) - frameLines - lines.length);
    const shown = arrange(this.#rows).slice(0, room);
    const live = [
      ...(shown.length === 0
        ? [this.#known === 0 ? 'no running capsules' : `verifying ${count(this.#known, 'record')}`]
        : tableLines(shown, { nowMs: clock.now(), style: this.#style, fit: columns })),
      '',
      this.#style.dim(cut(this.#footer(shown.length), columns)),
    ];
    stdout.write(
      repaint(
        this.#drawn,
        lines.map((line) => cut(line, columns)),
        live,
        columns,
      ),
    );
    this.#drawn = live;
  }

  #footer(shown: number): string {
    const running = this.#rows.filter(({ status }) => status === 'running').length;
    const unreachable = this.#rows.length - running;
    const hidden = this.#rows.length - shown;
    return [
      `${running} running`,
      ...(unreachable === 0 ? [] : [`${unreachable} unreachable`]),
      ...(hidden === 0 ? [] : [`${hidden} not shown`]),
      'Ctrl-C ends',
    ].join(', ');
  }
}

type Removed = RegistryEmitted & { readonly type: 'row.removed' };

/** `<time>  <what>  <session>  <capsule>  <where or why>`. */
function changeLine(event: RegistryEmitted, style: Style): string {
  const at = new Date(event.at).toISOString();
  if (event.type === 'row.removed') {
    const { sessionId, row, result, reason } = event;
    const why = result === 'pruned' ? [oneLine(reason)] : [];
    return [at, result.padEnd(12), sessionId, ...(row === null ? [] : [capsuleOf(row)]), ...why].join('  ');
  }
  const { row } = event;
  const word = (row.status === 'running' ? style.green : style.yellow)(row.status.padEnd(12));
  return [at, word, row.sessionId, capsuleOf(row), oneLine(row.reason ?? row.url)].join('  ');
}

function endLine({ sessionId, row, result, reason }: Removed): string {
  if (result === 'pruned') return prunedLine({ sessionId, reason });
  return `ended:  ${sessionId}${row === null ? '' : `  ${capsuleOf(row)}`}`;
}

function changeJson(event: RegistryEmitted): Record<string, unknown> {
  const at = new Date(event.at).toISOString();
  if (event.type === 'row.removed') {
    return { event: event.result, at, session_id: event.sessionId, reason: event.reason };
  }
  return { event: event.type === 'row.added' ? 'added' : 'changed', at, ...rowJson(event.row, event.at) };
}

function capsuleOf({ capsule, version }: SessionRow): string {
  return oneLine(`${capsule}@${version}`);
}
