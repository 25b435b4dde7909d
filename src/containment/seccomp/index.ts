/**
 * The syscall filter of contained commands, made in TypeScript. Not its loading: the last step of the launch program does that.
 * Read next: filter.ts (which call gets which answer), allowed.ts (the list), bpf.ts (the program).
 */
export { type FilterOptions, seccompFilter } from './filter.js';
export { type Architecture, isSupported, type SyscallName, syscallNumber } from './numbers.js';
