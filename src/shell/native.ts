import type { ToolResult } from '../../workers/protocol.js';
import { isNestedTooDeep } from '../text/index.js';

/** Most bytes of a native tool's stdout that are taken. */
export const nativeOutputLimitBytes = 8 * 1024 * 1024;

/** What a native tool reads from its stdin (spec/shell.md 7.4). */
export function nativeInput(data: string | undefined): Uint8Array {
  return Buffer.from(JSON.stringify({ data: data ?? null, log_path: null }));
}

export interface NativeEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a native tool that ended has answered. */
export function nativeResult(name: string, { exitCode, stdout, stderr }: NativeEnd): ToolResult {
  const text = stdout.trim();
  const byExit = exitCode === 0 ? 'passed' : 'error';
  if (text === '') return result(byExit, `${name} exited with code ${exitCode}`, stderr === '' ? undefined : stderr);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return result(byExit, `${name} completed`, stdout);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return result('error', undefined, undefined);
  const { status, summary, data } = value as Readonly<Record<string, unknown>>;
  if (isNestedTooDeep(data)) return nativeFailure(name, 'its data nests too deep');
  return result(
    status === 'passed' || status === 'failed' ? status : 'error',
    typeof summary === 'string' ? summary : undefined,
    dataText(data),
  );
}

/** The result of a native tool that could not be run, waited for, or believed. */
export function nativeFailure(name: string, reason: string): ToolResult {
  return result('error', `native tool '${name}' failed`, `native tool '${name}': ${reason}`);
}

/** Why a tool that wrote more than the cap has no result. */
export const nativeOverflow = `it wrote more than ${nativeOutputLimitBytes} bytes to stdout, the most that is taken`;

function dataText(data: unknown): string | undefined {
  if (data === undefined || data === null) return undefined;
  return typeof data === 'string' ? data : JSON.stringify(data);
}

function result(status: ToolResult['status'], summary: string | undefined, data: string | undefined): ToolResult {
  return { status, summary, data, truncated: false, metadata: [] };
}
