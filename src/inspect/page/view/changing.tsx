/** A text at the right end of its room, which would shift as it changes: each text is an element of its own, so none ever moves. */
export function Changing({ className, text }: { readonly className: string; readonly text: string }) {
  return (
    <span class={className} key={text}>
      {text}
    </span>
  );
}
