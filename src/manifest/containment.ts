/** Containment classes, weakest first (spec/manifest.md section 6.4). */
export const containmentClasses = ['unconfined', 'advisory', 'scoped', 'sealed'] as const;

export type ContainmentClass = (typeof containmentClasses)[number];
