import { charts } from '../../machines/index.js';
import {
  activeIds,
  type Chart,
  type ChartState,
  chartOf,
  drawChart,
  mermaidOf,
  type Picture,
  renderSvg,
  type TerminalLook,
} from '../diagram/index.js';
import { MurError } from '../errors/index.js';
import { locateMurmurHome } from '../home/murmur-home.js';
import { definitionOf } from '../inspect/definition.js';
import { type MachineState, openReplay, resolveRecorded, rootPath } from '../replay/index.js';
import type { ChartFlags } from './chart.js';
import type { CliContext, ExitStatus } from './context.js';
import { machineLabel } from './replay-words.js';
import { oneLine } from './safe-text.js';
import { glyphsFor, type Style, styleFor, wantsColor } from './style.js';
import { cut } from './width.js';

const pipedColumns = 100;
/** What `renderSvg` and the terminal mark. */
interface Marks {
  readonly active: ReadonlySet<string>;
  readonly hot: ReadonlySet<string>;
}

/** Lists the charts, draws one of them, or draws a session as it stands. */
export async function drawCharts(flags: ChartFlags, { stdout, env }: CliContext): Promise<ExitStatus> {
  const style = styleFor(wantsColor({ isTerminal: stdout.isTerminal, env, noColor: !flags.color }));
  const look: TerminalLook = {
    columns: stdout.stream.columns ?? pipedColumns,
    paint: { title: style.bold, dim: style.dim, active: style.green, hot: style.yellow },
    isAscii: glyphsFor(env).ok !== '✓',
  };
  if (flags.what === undefined) stdout.write(lines(listing(style, look)));
  else if (isChart(flags.what)) stdout.write(drawing(flags.what, flags, look));
  else stdout.write(session(flags.what, flags, look, env));
  return 0;
}

function isChart(name: string): boolean {
  return Object.hasOwn(charts, name);
}

function listing(style: Style, { columns, isAscii }: TerminalLook): string[] {
  const widest = Math.max(...Object.keys(charts).map((id) => id.length));
  const arrow = isAscii === true ? ' > ' : ' → ';
  const rows = Object.entries(charts).map(([id, { machine }]) => {
    const { root } = chartOf(machine);
    const way = root.states.map(({ key }) => key).join(arrow);
    const count = `${statesIn(root)} states`.padStart(9);
    return `${style.bold(id.padEnd(widest))}  ${style.dim(count)}  ${cut(way, Math.max(10, columns - widest - 13))}`;
  });
  return [...rows, '', style.dim('mur chart <name> draws one; mur chart @1 draws your newest session as it stands')];
}

function drawing(id: string, flags: ChartFlags, look: TerminalLook): string {
  if (flags.machine !== undefined) {
    throw new MurError('E-IO-003', `--machine chooses among the machines of a session; '${id}' is a chart already`);
  }
  const chart = chartOf(charts[id as keyof typeof charts].machine);
  return formatted(chart, flags) ?? lines(drawChart({ chart }, look));
}

/** The session as its event log has it: running ones are as far as their log is. */
function session(address: string, flags: ChartFlags, look: TerminalLook, env: CliContext['env']): string {
  const { recordsDir } = resolveAddress(address, env, flags);
  const replay = openReplay(recordsDir, { force: flags.force === true });
  const last = replay.length - 1;
  const { machines } = replay.stateAt(last);
  const [step] = replay.steps(last, last);
  const marksOf = (state: MachineState): Marks => ({
    active: new Set(activeIds(state.chart, state.value)),
    hot: new Set(step?.machine.path === state.path ? step.taken : []),
  });
  const root = machines[0];
  if (root === undefined) throw new MurError('E-TRC-001', `${recordsDir}: nothing has happened yet`);
  const chosen = flags.machine === undefined ? root : machines.find(({ chart }) => chart === flags.machine);
  if (chosen === undefined) {
    const there = machines.map(({ chart }) => chart).join(', ');
    throw new MurError('E-IO-003', `the session runs no '${flags.machine}' now; what it runs: ${there}`);
  }
  const chart = chartOf(charts[chosen.chart as keyof typeof charts].machine);
  const formattedText = formatted(chart, flags, marksOf(chosen));
  if (formattedText !== undefined) return formattedText;
  const picture = pictureOf(chosen, machines, marksOf);
  if (chosen !== root) return lines(drawChart(picture, look));
  const commands = machines.filter((machine) => machine.chart === 'command' && machine.status === 'active');
  return lines([
    ...drawChart({ ...picture, note: replay.header.session_id }, look),
    ...commands.flatMap((command) => ['', ...drawChart(pictureOf(command, machines, marksOf), look)]),
  ]);
}

function resolveAddress(address: string, env: CliContext['env'], flags: ChartFlags) {
  try {
    return resolveRecorded(address, locateMurmurHome(env), flags.workdir);
  } catch (error) {
    // A word that is neither is more likely a misspelled machine.
    if (/[@/0-9]/.test(address) || !/^[a-z-]+$/.test(address)) throw error;
    const names = Object.keys(charts).join(', ');
    throw new MurError('E-TRC-002', `'${oneLine(address)}' is neither a machine nor a recorded session`, {
      hint: `machines: ${names}; a session is @N, an id, the end of one, or a path`,
    });
  }
}

/** The machine with every machine that runs inside it. */
function pictureOf(
  state: MachineState,
  machines: readonly MachineState[],
  marksOf: (state: MachineState) => Marks,
): Picture {
  return {
    chart: chartOf(charts[state.chart as keyof typeof charts].machine),
    ...marksOf(state),
    isBrief: true,
    ...(state.path === rootPath ? {} : { note: noteOf(state) }),
    inside: (id) => {
      const below = machines.find(({ path }) => path === `${state.path}/${id}`);
      return below === undefined ? undefined : pictureOf(below, machines, marksOf);
    },
  };
}

/** What tells it from others of its kind. */
function noteOf(state: MachineState): string {
  const { name, turn, taskId, binary } = state.context;
  if (typeof name === 'string') return oneLine(name);
  if (state.chart === 'command') return oneLine(`${machineLabel(state)}  ${binary}`);
  if (state.chart === 'turn' && typeof turn === 'number') return `turn ${turn + 1}`;
  return typeof taskId === 'string' ? oneLine(taskId) : machineLabel(state);
}

function formatted(chart: Chart, flags: ChartFlags, marks?: Marks): string | undefined {
  const { id } = chart.root;
  if (flags.mermaid === true) return mermaidOf(chart);
  if (flags.json === true) {
    const active = marks === undefined ? {} : { active: [...marks.active], hot: [...marks.hot] };
    return `${JSON.stringify({ ...chart, ...active })}\n`;
  }
  if (flags.svg !== true) return undefined;
  const layout = definitionOf(id)?.layout ?? null;
  if (layout === null) {
    throw new MurError('E-IO-001', `this build has no stored drawing of the chart '${id}'`, {
      hint: 'npm run diagrams makes diagrams/ anew from the machines',
    });
  }
  return renderSvg(layout, marks);
}

function statesIn(state: ChartState): number {
  return state.states.reduce((sum, child) => sum + 1 + statesIn(child), 0);
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
