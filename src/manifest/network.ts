/** `network:`, the capsule's own door (spec/manifest.md section 7). Unrelated to `capabilities.network`. */
export interface NetworkConfig {
  /** Absent lets the host pick a free port. */
  readonly internalPort?: number;
  /** Absent is a public door. */
  readonly authentication?: DoorAuthentication;
}

export interface DoorAuthentication {
  readonly scheme: 'bearer';
  readonly credentials: readonly { readonly name: string; readonly scopes: readonly string[] }[];
}
