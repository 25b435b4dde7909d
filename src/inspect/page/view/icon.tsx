/** Line icons on a grid of 16. Decoration: the text beside them, or the label of their button, says it. */
const paths = {
  play: 'M5 3.5v9l7.5-4.5z',
  pause: 'M5 3.5v9M11 3.5v9',
  back: 'M10.5 3.5 6 8l4.5 4.5',
  next: 'M5.5 3.5 10 8l-4.5 4.5',
  first: 'M12 3.5 7.5 8l4.5 4.5M4 3.5v9',
  plus: 'M8 3.5v9M3.5 8h9',
  minus: 'M3.5 8h9',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  target: 'M8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  driver: 'M8 2 9.5 6.5 14 8 9.5 9.5 8 14 6.5 9.5 2 8l4.5-1.5z',
  tool: 'M10 2.5a4 4 0 0 0-3 5L2.5 12l1.5 1.5L8.5 9a4 4 0 0 0 5-3L11 7 9 5z',
  skill: 'M8 4v9.5M8 4 2.5 3v9.5l5.5 1 5.5-1V3z',
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
