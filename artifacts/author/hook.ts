/** `mur:hook`: what a hook may use. types/mur.d.ts says the same to editors. */
export { config, env } from './settings.js';
