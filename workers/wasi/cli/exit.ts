/**
 * Thrown by `wasi:cli/exit` to leave the guest. The caller of the export reports it as a failure of kind `exit`.
 *
 * Does not stop: a guest with wasm exception handling that catches everything. The host must remember that exit was called.
 */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`guest called exit with code ${exitCode}`);
    this.name = 'ExitError';
    this.exitCode = exitCode;
  }
}
