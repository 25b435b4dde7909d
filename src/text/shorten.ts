/** `text` for a message: at most `max` characters of it, and dots where there was more. */
export function shorten(text: string, max = 60): string {
  return text.length > max ? `${text.slice(0, max)}...` : text;
}
