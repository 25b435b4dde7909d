/** Markdown text of the generated pages. */

/** A table; empty columns are left out. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const used = head.map((_, column) => rows.some((row) => row[column] !== ''));
  const line = (cells: readonly string[]) => `| ${cells.filter((_, column) => used[column]).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** `text` as code, also inside a table. */
export function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

/** `text` as it is, inside a table: nothing of it is markup. */
export function cell(text: string): string {
  return text.replaceAll(/[|*<]/g, '\\$&');
}

export const generated = '<!-- Made by npm run reference. Change src/reference instead. -->';
