/**
 * The downloader: verified bytes of one address, or a refusal. Not what to download (../github, ../remote.ts) and not storing it.
 * Read next: download.ts, part.ts.
 */
export { downloadCeiling } from './ceiling.js';
export { type Download, type Downloaded, download, type Surroundings } from './download.js';
