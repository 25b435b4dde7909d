/** Joins the inspection page into dist/inspect-page: index.html, page.js, page.css, and the licence of what page.js holds. Nothing else is ever loaded by it. */
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const source = (path) => fileURLToPath(new URL(`../src/inspect/page/${path}`, import.meta.url));
const target = fileURLToPath(new URL('../dist/inspect-page', import.meta.url));

const inject = { h: ['preact', 'h'], Fragment: ['preact', 'Fragment'] };
const bundle = await rolldown({
  input: { page: source('main.tsx') },
  platform: 'browser',
  resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
  // `h(type, props, ...children)` compresses better than the automatic runtime's `children: [...]`.
  transform: { target: 'es2023', jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' }, inject },
  logLevel: 'warn',
});
const fresh = `${target}-${process.pid}`;
mkdirSync(fresh, { recursive: true });
await bundle.write({ dir: fresh, format: 'esm', sourcemap: false, minify: true, comments: false });
await bundle.close();
const sheets = [
  ...[
    'colours',
    'base',
    'frame',
    'sessions',
    'chart',
    'timeline',
    'conversation',
    'calls',
    'sequence',
    'events',
    'facts',
  ],
  ...['dialog', 'narrow'],
];
const { rules } = await import('../dist/src/diagram/svg.js');
const drawings = `.mur-chart{${rules.replaceAll('.mur-chart ', '')}}`;
const css = drawings + sheets.map((name) => readFileSync(source(`style/${name}.css`), 'utf8')).join('');
writeFileSync(`${fresh}/page.css`, squeezed(css));
copyFileSync(fileURLToPath(new URL('../node_modules/preact/LICENSE', import.meta.url)), `${fresh}/preact.LICENSE`);
writeFileSync(`${fresh}/index.html`, readFileSync(source('index.html'), 'utf8'));
rmSync(target, { recursive: true, force: true });
renameSync(fresh, target);

/** Without comments and needless space. Knows only the CSS of style/: no comments inside strings. */
function squeezed(css) {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/([\w-]): /g, '$1:')
    .replace(/;}/g, '}')
    .replace(/ > /g, '>')
    .replace(/(?<=[ ,:(-])0\./g, '.')
    .trim();
}
