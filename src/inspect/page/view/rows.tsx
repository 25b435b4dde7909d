/** A long list of equal rows, of which only those in sight exist. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props {
  readonly count: number;
  /** Pixels of one row. */
  readonly height: number;
  /** Row to keep in sight; changes scroll to it. */
  readonly anchor?: number;
  readonly label: string;
  readonly className?: string;
  /** Drawn once behind the rows. */
  readonly behind?: ComponentChildren;
  row(index: number): ComponentChildren;
}

const spare = 8;

export function Rows({ count, height, anchor, label, className = '', behind, row }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });

  useLayoutEffect(() => {
    const element = host.current!;
    const read = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const sizes = new ResizeObserver(read);
    sizes.observe(element);
    element.addEventListener('scroll', read, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', read);
    };
  }, []);

  useLayoutEffect(() => {
    const element = host.current!;
    if (anchor === undefined || anchor < 0) return;
    const [top, bottom] = [anchor * height, (anchor + 1) * height];
    const [from, to] = [element.scrollTop, element.scrollTop + element.clientHeight];
    if (top < from || bottom > to) element.scrollTop = top - element.clientHeight * (bottom > to ? 0.8 : 0.3);
  }, [anchor, count, height, view.height]);

  const from = Math.max(0, Math.floor(view.top / height) - spare);
  const to = Math.min(count, Math.ceil((view.top + view.height) / height) + spare);
  const indexes = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class={`rows ${className}`} ref={host} aria-label={label} tabIndex={0}>
      <div class="rows-all" style={{ height: `${count * height}px` }}>
        {behind}
        <ol>
          {indexes.map((index) => (
            <li
              key={index}
              style={{ top: `${index * height}px`, height: `${height}px` }}
              aria-posinset={index + 1}
              aria-setsize={count}
            >
              {row(index)}
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
