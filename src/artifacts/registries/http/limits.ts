/** How long, how large and how often. One value for each; a test may give smaller ones. */
export interface HttpLimits {
  /** One request, from the first try to the last byte of its answer; of a download, to the head of the answer. */
  readonly requestMs: number;
  /** A body that is long under way must bring `paceBytes` in each `paceMs`, so that neither silence nor a drip holds us. */
  readonly paceMs: number;
  readonly paceBytes: number;
  /** One download or upload with everything it was retried for. */
  readonly transferMs: number;
  readonly redirects: number;
  /** Tries in a row that bring nothing, the first included. */
  readonly triesInVain: number;
  /** Tries of one download in all. */
  readonly tries: number;
  /** Wait before the second try; doubles up to `mostBackoffMs`. */
  readonly backoffMs: number;
  readonly mostBackoffMs: number;
  /** Most bytes of an answer that is parsed. */
  readonly answerBytes: number;
  /** Most bytes read of a body that only explains a status. */
  readonly errorBytes: number;
  /** Age at which a file that was never finished is removed. */
  readonly stalePartMs: number;
}

/**
 * The 30 s are those of spec/artifacts.md sections 8.3 and 8.4. They bound a whole request, but not the body of an artifact: 500 MiB
 * in 30 s asks for a line most people do not have. Such a body must keep 1 KiB/s, and end within an hour.
 */
export const httpLimits: HttpLimits = {
  requestMs: 30_000,
  paceMs: 30_000,
  paceBytes: 30 * 1024,
  transferMs: 60 * 60_000,
  redirects: 5,
  triesInVain: 3,
  tries: 10,
  backoffMs: 250,
  mostBackoffMs: 5_000,
  answerBytes: 16 * 1024 * 1024,
  errorBytes: 8 * 1024,
  stalePartMs: 24 * 60 * 60_000,
};
