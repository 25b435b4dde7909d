/** The `murmur:tool/run` shapes (WIT records as plain objects) and the four ways an artifact answers. */

export interface ToolInput {
  readonly data: string | null;
  readonly logPath: string | null;
}

export interface ToolResult {
  readonly status: 'passed' | 'failed' | 'error';
  readonly summary: string | null;
  readonly data: string | null;
  readonly dataPath: string | null;
  readonly truncated: boolean;
  readonly metadata: readonly (readonly [string, string])[];
}

export type Metadata = readonly (readonly [string, string])[];

const base = { summary: null, data: null, dataPath: null, truncated: false, metadata: [] } as const;

/** A result the model can use. */
export function passed(result: Partial<Omit<ToolResult, 'status'>>): ToolResult {
  return { ...base, ...result, status: 'passed' };
}

/** The call was understood but could not be done; `summary` tells the model what to do instead. */
export function failed(summary: string, metadata: Metadata = []): ToolResult {
  return { ...base, summary, metadata, status: 'failed' };
}

/** A driver's failure, in both signals the loop reads (status and stop reason). */
export function driverFailure(error: string): ToolResult {
  return { ...base, summary: error, data: JSON.stringify({ stop_reason: 'error', error }), status: 'error' };
}
