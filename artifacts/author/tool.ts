/** `mur:tool`: what a tool may use. types/mur.d.ts says the same to editors. */
export { answer, fail } from './answer.js';
export { files } from './files.js';
export { config, env } from './settings.js';
export { shell } from './shell.js';
export { sleep } from './timers.js';
