/** `mur:tool`: what a tool may use. types/mur.d.ts says the same to editors. */
export { answer, fail } from './answer.js';
export { ask } from './ask.js';
export { files } from './files.js';
export { peers } from './peers.js';
export { config, env } from './settings.js';
export { shell } from './shell.js';
export { sleep } from './timers.js';
