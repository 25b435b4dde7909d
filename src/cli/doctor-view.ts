import type { MurError } from '../errors/index.js';
import { murVersion } from '../version.js';
import type { CliContext } from './context.js';
import { type Block, blockText, type Finding, findingLines, type Paint } from './doctor-block.js';
import { errorText, type Warning, warningLine } from './output.js';
import { oneLine } from './safe-text.js';
import { glyphsFor, styleFor, wantsColor } from './style.js';

export interface Diagnosis {
  readonly blocks: readonly Block[];
  /** Absent in a folder that holds a roster and no capsule. */
  readonly checks:
    | { readonly manifest: string; readonly platform: string; readonly findings: readonly Finding[] }
    | undefined;
  /** There is no project: the blocks are all there is to say to people. */
  readonly isMachineOnly?: boolean;
  /** Everything found, in checklist and blocks. */
  readonly findings: readonly Finding[];
  /** For stderr; one without a finding of its own counts as a warning too. */
  readonly warnings: readonly Warning[];
  readonly errors: readonly MurError[];
}

interface Counts {
  readonly passed: number;
  readonly errors: number;
  readonly warnings: number;
}

/** The diagnosis on stdout, as blocks or as one JSON object; its warnings and errors on stderr. */
export function printDiagnosis(
  diagnosis: Diagnosis,
  flags: { readonly json?: boolean; readonly color: boolean },
  { stdout, stderr, env }: CliContext,
): void {
  const styled = (stream: typeof stdout) =>
    styleFor(wantsColor({ isTerminal: stream.isTerminal, env, noColor: !flags.color }));
  for (const warning of diagnosis.warnings) stderr.write(`${warningLine(warning, styled(stderr))}\n`);
  if (flags.json === true) stdout.write(`${JSON.stringify(jsonOf(diagnosis))}\n`);
  else stdout.write(textOf(diagnosis, { style: styled(stdout), glyphs: glyphsFor(env) }));
  for (const error of diagnosis.errors) stderr.write(errorText(error, styled(stderr)));
}

function textOf(diagnosis: Diagnosis, paint: Paint): string {
  const { blocks, checks } = diagnosis;
  const shown = blocks.map((block) => blockText(block, paint)).filter((text) => text !== '');
  if (checks !== undefined) {
    const head = paint.style.bold(`Checking ${oneLine(checks.manifest)} for ${checks.platform}...`);
    const lines = checks.findings.flatMap((finding) => findingLines(finding, '  ', paint));
    shown.push([head, ...lines].map((line) => `${line}\n`).join(''));
  }
  if (diagnosis.isMachineOnly === true) return shown.join('\n');
  const fixes = fixesOf(diagnosis).map((fix) => `${paint.style.cyan('Fix:')} ${oneLine(fix)}\n`);
  return [...shown, `${summary(countsOf(diagnosis))}\n`, ...(fixes.length === 0 ? [] : [fixes.join('')])].join('\n');
}

function summary({ passed, errors, warnings }: Counts): string {
  if (errors + warnings === 0) return 'All checks passed.';
  const tail = warnings === 0 ? '' : `, ${warnings} warning(s)`;
  return `${passed} check(s) passed, ${errors} error(s) found${tail}.`;
}

function countsOf({ findings, warnings }: Diagnosis): Counts {
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  const counted = new Set(findings.map(({ code }) => code));
  const besides = warnings.filter(({ code }) => code === '' || !counted.has(code)).length;
  return { passed: count('ok'), errors: count('error'), warnings: count('warning') + besides };
}

/** What mends it, each once: errors first, warnings after. */
function fixesOf({ findings }: Diagnosis): readonly string[] {
  const of = (level: Finding['level']) => findings.filter((finding) => finding.level === level).map(({ fix }) => fix);
  return [...new Set([...of('error'), ...of('warning')])].filter((fix) => fix !== undefined);
}

function jsonOf(diagnosis: Diagnosis): Record<string, unknown> {
  const { blocks, checks, warnings } = diagnosis;
  return {
    mur_version: murVersion,
    manifest: checks?.manifest ?? null,
    platform: checks?.platform ?? null,
    ...Object.fromEntries(blocks.map(({ key, json }) => [key, json])),
    checks: (checks?.findings ?? []).map(({ level, code, text, details, fix }) => ({
      level,
      code: code ?? null,
      text,
      details: details ?? [],
      fix: fix ?? null,
    })),
    notices: warnings.map(({ code, message }) => ({ code: code === '' ? null : code, message })),
    ...countsOf(diagnosis),
    fixes: fixesOf(diagnosis),
  };
}
