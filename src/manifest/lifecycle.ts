/** `lifecycle:` with its defaults filled in (spec/manifest.md section 11). */
export interface LifecycleConfig {
  readonly taskAcceptance: TaskAcceptance;
  readonly afterTask: AfterTask;
  /** Accepted tasks that wait behind the running one. */
  readonly queueDepth: number;
  /** Absent waits forever. */
  readonly inputTimeoutSeconds?: number;
  readonly conversation: 'stateless' | 'threaded';
  readonly maxTaskReopens: number;
  readonly shellGraceSeconds: number;
  readonly delegationDeadlineSeconds: number;
  readonly deadlineNoticeSeconds?: number;
}

export const taskAcceptances = ['none', 'single', 'queue'] as const;
export type TaskAcceptance = (typeof taskAcceptances)[number];
export const afterTasks = ['exit', 'sleep'] as const;
export type AfterTask = (typeof afterTasks)[number];

/** What a launch may lay over the manifest's block. */
export interface LifecycleOverride {
  readonly taskAcceptance?: TaskAcceptance;
  readonly afterTask?: AfterTask;
}
