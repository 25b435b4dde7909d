/** Keeps what goes wrong in one view in that view: it says so, and everything around it goes on. */
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { clean } from '../store/names.js';
import { useApp } from './app-context.js';

interface Props {
  /** As the view is called on the page. */
  readonly name: string;
  readonly className?: string;
  readonly children: ComponentChildren;
}

export function Boundary({ name, className = '', children }: Props) {
  const { ui } = useApp();
  const [error, retry] = useErrorBoundary((caught) => console.error(caught));
  // Another moment or session may well be shown.
  useEffect(() => {
    if (error !== undefined) retry();
  }, [ui.cursor, ui.sys]);
  if (error === undefined) return <>{children}</>;
  return (
    <section class={`broken ${className}`} role="alert">
      <strong>{name} cannot be shown here.</strong>{' '}
      <span>{clean((error as Error).message ?? error).slice(0, 300)}</span>{' '}
      <button type="button" class="link" onClick={retry}>
        Try again
      </button>
    </section>
  );
}
