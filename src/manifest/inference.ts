import { type ConfigBlock, readConfigBlock } from './config-block.js';
import { positive } from './limits.js';
import { present, trimmed } from './present.js';
import { type PromptSource, readCompactionPrompt, readMainPrompt } from './prompt.js';
import type { Fault, Report } from './report.js';
import { block, flag, fraction, free, integer, kindOf, list, text, texts, word, z } from './shape.js';
import type { Path } from './tree.js';

const driverShape = block({ artifact: text(), config: free() });

/** `inference`: the model loop of an agent capsule. */
export const inferenceShape = block({
  transport: text(),
  model: text(),
  driver: driverShape,
  provider: driverShape,
  command: text(),
  max_turns: integer(),
  max_tokens: integer(),
  max_session_tokens: integer(),
  tool_refresh: word(['compaction', 'immediate']),
  alternates: list(z.object({ name: text(), model: text(), driver: driverShape })),
  system_prompt: text(),
  system_prompt_file: text(),
  system_prompt_artifact: text(),
  instruction_files: texts(),
  compaction: block({
    threshold: fraction(),
    model: text(),
    system_prompt: text(),
    system_prompt_file: text(),
    max_tokens: integer(),
    dump_summaries: flag(),
    driver_config: free(),
  }),
  endpoint: text(),
  api_key: text(),
});

export type RawInference = NonNullable<z.infer<typeof inferenceShape>>;

export interface DriverReference {
  /** Name of a declared `runtime: driver` entry, as written. */
  readonly artifact: string;
  readonly config?: ConfigBlock;
}

/** Another driver and model a session may switch to (spec/manifest.md section 8.2). */
export interface AlternateChoice {
  readonly name: string;
  readonly model: string;
  readonly driver: { readonly artifact: string };
}

export interface CompactionConfig {
  /** Share of the input budget at which compaction starts. */
  readonly threshold: number;
  /** Absent means the primary model. */
  readonly model?: string;
  readonly systemPrompt?: PromptSource;
  readonly maxTokens?: number;
  readonly dumpSummaries: boolean;
  readonly driverConfig?: ConfigBlock;
}

/** `inference:`, the block that makes a capsule an agent (spec/manifest.md section 8). */
export interface InferenceConfig {
  readonly transport: 'http' | 'process';
  /** Empty only under `transport: process`: the harness default. */
  readonly model: string;
  readonly driver: DriverReference;
  /** Process transport only. */
  readonly command?: string;
  /** Turns per task. */
  readonly maxTurns: number;
  readonly maxTokens?: number;
  readonly maxSessionTokens?: number;
  /** When the tools offered to the model follow a pull or removal. */
  readonly toolRefresh: 'compaction' | 'immediate';
  readonly alternates: readonly AlternateChoice[];
  readonly systemPrompt?: PromptSource;
  readonly instructionFiles?: readonly string[];
  readonly compaction: CompactionConfig;
}

const path: Path = ['inference'];

/** The block itself; what it says about artifacts is checked by drivers.ts. */
export function readInference(raw: RawInference, report: Report): InferenceConfig {
  const { fault } = report;
  const systemPrompt = readMainPrompt(raw, path, fault);
  const maxTurns = positive(raw.max_turns, [...path, 'max_turns'], fault) ?? 10;
  const maxTokens = positive(raw.max_tokens, [...path, 'max_tokens'], fault);
  const maxSessionTokens = positive(raw.max_session_tokens, [...path, 'max_session_tokens'], fault);
  const transport = readTransport(raw.transport, fault);
  refuseForTransport(raw, transport, fault);
  const model = trimmed(raw.model);
  if (model === undefined && transport === 'http') throw fault([...path, 'model'], 'missing required field');
  const driver = readDriver(raw, report);
  return present({
    transport,
    model: model ?? '',
    driver,
    command: trimmed(raw.command),
    maxTurns,
    maxTokens,
    maxSessionTokens,
    toolRefresh: raw.tool_refresh ?? ('immediate' as const),
    alternates: readAlternates(raw, { driver: driver.artifact, model: model ?? '' }, fault),
    systemPrompt,
    instructionFiles: raw.instruction_files,
    compaction: readCompaction(raw.compaction ?? {}, report),
  });
}

function readTransport(value: string | null | undefined, fault: Fault): 'http' | 'process' {
  const word = trimmed(value) ?? 'http';
  if (word === 'http' || word === 'process') return word;
  throw fault([...path, 'transport'], `unknown value '${word}'; expected one of: http, process`);
}

function refuseForTransport(raw: RawInference, transport: 'http' | 'process', fault: Fault): void {
  if (transport === 'http') {
    if (trimmed(raw.command) !== undefined) throw fault([...path, 'command'], 'is not valid with transport: http');
    return;
  }
  for (const key of ['max_tokens', 'tool_refresh', 'alternates', 'endpoint', 'api_key'] as const) {
    const value = raw[key];
    if (value !== undefined && value !== null) throw fault([...path, key], 'is not valid with transport: process');
  }
}

function readDriver(raw: RawInference, report: Report): DriverReference {
  if (raw.driver && raw.provider) {
    throw report.fault([...path, 'provider'], 'is the older name of inference.driver, which is set too; keep one');
  }
  const key = raw.provider && !raw.driver ? 'provider' : 'driver';
  if (key === 'provider') {
    report.warn('W-RUN-901', "'inference.provider' is the older name of 'inference.driver'; rename it", [...path, key]);
  }
  const written = raw[key];
  const artifact = trimmed(written?.artifact);
  if (!written) throw report.fault([...path, 'driver'], 'missing required field');
  if (artifact === undefined) throw report.fault([...path, key, 'artifact'], 'missing required field');
  return present({ artifact, config: readMapping(written.config, [...path, key, 'config'], report) });
}

/** A mapping handed to the driver; null is absent, anything else is refused here and now. */
function readMapping(value: unknown, at: Path, report: Report): ConfigBlock | undefined {
  if (value === null || value === undefined) return undefined;
  if (kindOf(value) !== 'mapping') throw report.fault(at, `expected mapping/object, got ${kindOf(value)}`);
  const config = readConfigBlock(report.tree, value);
  if (config.problem !== undefined) throw report.fault(at, config.problem);
  return config;
}

function readAlternates(
  raw: RawInference,
  primary: { readonly driver: string; readonly model: string },
  fault: Fault,
): readonly AlternateChoice[] {
  const names = new Set(['primary']);
  const pairs = new Set([`${primary.driver}\n${primary.model}`]);
  return (raw.alternates ?? []).map((choice, index) => {
    const at = [...path, 'alternates', index];
    const name = choice.name ?? '';
    if (!/^[a-z][a-z0-9-]{0,62}$/.test(name)) {
      throw fault(
        [...at, 'name'],
        `'${name}' is no choice name; expected a lowercase letter and up to 62 of a-z, 0-9, "-"`,
      );
    }
    if (names.has(name)) {
      throw fault([...at, 'name'], name === 'primary' ? "'primary' is the main choice" : `'${name}' is used twice`);
    }
    const model = trimmed(choice.model);
    if (model === undefined) throw fault([...at, 'model'], 'missing required field');
    const artifact = trimmed(choice.driver?.artifact);
    if (artifact === undefined) throw fault([...at, 'driver', 'artifact'], 'missing required field');
    if (choice.driver?.config !== undefined) {
      throw fault([...at, 'driver', 'config'], 'an alternate takes no driver config of its own');
    }
    if (pairs.has(`${artifact}\n${model}`))
      throw fault(at, `driver '${artifact}' with model '${model}' is declared twice`);
    names.add(name);
    pairs.add(`${artifact}\n${model}`);
    return { name, model, driver: { artifact } };
  });
}

function readCompaction(raw: NonNullable<RawInference['compaction']>, report: Report): CompactionConfig {
  const at = [...path, 'compaction'];
  const threshold = raw.threshold ?? 0.98;
  if (!(threshold > 0 && threshold <= 1)) {
    throw report.fault([...at, 'threshold'], `must be in (0.0, 1.0] but got ${threshold}`);
  }
  return present({
    threshold,
    model: trimmed(raw.model),
    systemPrompt: readCompactionPrompt(raw, at, report.fault),
    maxTokens: positive(raw.max_tokens, [...at, 'max_tokens'], report.fault),
    dumpSummaries: raw.dump_summaries ?? false,
    driverConfig: readMapping(raw.driver_config, [...at, 'driver_config'], report),
  });
}
