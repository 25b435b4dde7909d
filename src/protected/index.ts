/**
 * `capabilities.filesystem.read_only`, as calls are judged by it before anything is started (spec/containment.md 16). What a call
 * writes is read off its text: the argument list or script of a command, the input of a tool. Not what holds a program that runs
 * already: that are read-only mounts (src/containment/read-only.ts) and the walk of guests (workers/wasi/fs).
 *
 * | File | Does |
 * |---|---|
 * | paths | rules, and what falls under them |
 * | script, arguments | what a command writes |
 * | input, keys, annotations | what the input of a tool names |
 * | check | the verdict, and its words |
 *
 * Does not stop: writes that the text of a call does not show; where nothing else holds those, `W-SEC-017` and the scope report say so.
 *
 * Read next: check.ts, paths.ts.
 */
export { readAnnotations, type ToolAnnotations } from './annotations.js';
export { type CheckedCommand, checkCommand, checkInput, type Denial } from './check.js';
export { type ProtectedMatch, ProtectedPaths } from './paths.js';
