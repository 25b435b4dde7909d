/** `trace:` with its defaults filled in (spec/manifest.md section 10). */
export interface TraceConfig {
  readonly capture: 'none' | 'meta' | 'content';
  readonly retain?: { readonly maxSessions?: number; readonly maxAgeSeconds?: number };
}
