/** Tabs as the ARIA practices have them: arrows move, the chosen one is in the tab order. */
interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: string;
  /** Shown beside the label when not zero. */
  readonly count?: number;
  readonly alert?: boolean;
}

interface Props<Id extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly chosen: Id;
  choose(id: Id): void;
}

export function Tabs<Id extends string>({ label, tabs, chosen, choose }: Props<Id>) {
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const index = tabs.findIndex(({ id }) => id === chosen);
    const next = tabs[(index + by + tabs.length) % tabs.length]!;
    choose(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ id, label: name, count = 0, alert = false }) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          aria-selected={id === chosen}
          aria-controls={`panel-${id}`}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => choose(id)}
        >
          {name}
          {count > 0 && <span class={alert ? 'badge alert' : 'badge'}> {count}</span>}
        </button>
      ))}
    </div>
  );
}
