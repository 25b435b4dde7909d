import type { Fault } from '../../machines/effect.js';
import { type ErrorCode, errorTable, MurError } from '../errors/index.js';

/** A fault that a chart ended with, as the error it was. */
export function errorOfFault({ code, message, hint }: Fault): MurError {
  const known = code in errorTable ? (code as ErrorCode) : 'E-RUN-007';
  return new MurError(known, message, hint === undefined ? {} : { hint });
}
