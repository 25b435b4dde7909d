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
  skill: 'M8 4v9.5M8 4C6.5 3 4.5 2.8 2.5 3.2v9.3c2-.4 4-.2 5.5 1 1.5-1.2 3.5-1.4 5.5-1V3.2C11.5 2.8 9.5 3 8 4z',
  shell: 'M2.5 3.5 6.5 8l-4 4.5M8 12.5h5.5',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon i-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

interface ButtonProps {
  readonly icon: IconName;
  /** Read aloud, and shown on hover with its key. */
  readonly label: string;
  readonly shortcut?: string;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  readonly className?: string;
  act(): void;
}

export function IconButton({ icon, label, shortcut, pressed, disabled, className = '', act }: ButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button ${className}`}
      aria-label={label}
      title={shortcut === undefined ? label : `${label} (${shortcut})`}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={act}
    >
      <Icon name={icon} />
    </button>
  );
}
