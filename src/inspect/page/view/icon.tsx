/** Line icons on a grid of 16. Decoration: the text beside them, or the label of their button, says it. */
const paths = {
  play: 'M5 3.5v9l7.5-4.5z',
  pause: 'M5 3.5v9M11 3.5v9',
  back: 'M10.5 3.5 6 8l4.5 4.5',
  next: 'M5.5 3.5 10 8l-4.5 4.5',
  first: 'M12 3.5 7.5 8l4.5 4.5M4 3.5v9',
  last: 'M4 3.5 8.5 8 4 12.5M12 3.5v9',
  plus: 'M8 3.5v9M3.5 8h9',
  minus: 'M3.5 8h9',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  target: 'M8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  driver: 'M8 1.8 9.6 6.4 14.2 8 9.6 9.6 8 14.2 6.4 9.6 1.8 8l4.6-1.6z',
  tool: 'M10.2 2.2a3.6 3.6 0 0 0-3.4 4.9L2.3 11.6a1.5 1.5 0 0 0 2.1 2.1l4.5-4.5a3.6 3.6 0 0 0 4.7-4.5l-2 2-2-.3-.3-2z',
  skill: 'M2.5 3.2c2-.7 3.9-.5 5.5.6 1.6-1.1 3.5-1.3 5.5-.6v9.3c-2-.7-3.9-.5-5.5.6-1.6-1.1-3.5-1.3-5.5-.6zM8 3.8v9.3',
  shell: 'M2.5 3.5 6.5 8l-4 4.5M8 12.5h5.5',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1',
  light:
    'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  dark: 'M13.3 9.7A5.7 5.7 0 0 1 6.3 2.7 5.7 5.7 0 1 0 13.3 9.7z',
  auto: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  close: 'M4 4l8 8M12 4l-8 8',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon i-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
