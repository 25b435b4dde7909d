/** The error value a WIT `result` carried (componentize-qjs throws an Error with it as `payload`), or `undefined` for any other throw. */
export function payloadOf(error: unknown): unknown {
  return error instanceof Error ? (error as { payload?: unknown }).payload : undefined;
}
