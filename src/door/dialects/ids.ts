/** As long as any id needs to be: a task says those of its messages again in every frame and every message of its history. */
const longestId = 4096;

/** Why an id of this message is none; `undefined` when it may stay. */
export function longId(message: Readonly<Record<string, unknown>>): string | undefined {
  const name = ['messageId', 'contextId'].find((key) => String(message[key] ?? '').length > longestId);
  return name === undefined ? undefined : `message.${name} is longer than ${longestId} characters`;
}
