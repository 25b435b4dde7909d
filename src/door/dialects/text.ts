/** How a message becomes the one text a model is given (spec/door.md section 7). */
import { isFinal, type TaskSnapshot } from '../../task/index.js';

/** Characters of JSON that are still laid out in lines. Indenting multiplies: eight megabytes, nested deeply, would become gigabytes. */
const laidOut = 64 * 1024;

/** A `data` part: its JSON in a fence that nothing inside can close. */
export function dataText(data: unknown, mediaType?: string, filename?: string): string {
  const label = ['data', labelled('media-type', mediaType), labelled('filename', filename)].filter(
    (word) => word !== '',
  );
  const compact = JSON.stringify(data);
  return fenced(label.join(' '), compact.length > laidOut ? compact : JSON.stringify(data, null, 2));
}

/** What became of the tasks a message refers to, in the order it first names them. */
export function referencesText(taskIds: readonly string[], get: (taskId: string) => TaskSnapshot | undefined): string {
  return ['Referenced tasks:', ...taskIds.map((taskId) => referenceLine(taskId, get(taskId)))].join('\n');
}

function referenceLine(taskId: string, task: TaskSnapshot | undefined): string {
  if (task === undefined) return `- ${taskId}: not a task this capsule holds`;
  const line = `- ${taskId}: ${task.state}`;
  if (!isFinal(task.state)) return line;
  if (task.response !== undefined) return `${line}\n${fenced('response', task.response)}`;
  return task.message === undefined ? line : `${line}: ${task.message.replace(/\s+/g, ' ').trim()}`;
}

/** `body` between runs of backticks longer than any inside it, three at least. */
function fenced(label: string, body: string): string {
  let length = 3;
  // One by one: there may be millions.
  for (const [run] of body.matchAll(/`+/g)) length = Math.max(length, run.length + 1);
  const fence = '`'.repeat(length);
  return `${fence}${label}\n${body}\n${fence}`;
}

/** A value from outside must stay one word of the label. */
function labelled(name: string, value: string | undefined): string {
  return value === undefined || value === '' ? '' : `${name}=${value.replace(/[\s`=]/g, '_')}`;
}
