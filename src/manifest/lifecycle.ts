import { notNegative, positive } from './limits.js';
import { present } from './present.js';
import type { Fault } from './report.js';
import { block, integer, word, type z } from './shape.js';

export const taskAcceptances = ['none', 'single', 'queue'] as const;
export type TaskAcceptance = (typeof taskAcceptances)[number];
export const afterTasks = ['exit', 'sleep'] as const;
export type AfterTask = (typeof afterTasks)[number];

/** `lifecycle`: which tasks a session takes and what it does after one. */
export const lifecycleShape = block({
  task_acceptance: word(taskAcceptances),
  after_task: word(afterTasks),
  queue_depth: integer(),
  input_timeout_secs: integer(),
  conversation: word(['stateless', 'threaded']),
  max_task_reopens: integer(),
  shell_grace_secs: integer(),
  delegation_deadline_secs: integer(),
  deadline_notice_secs: integer(),
});

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

/** What a launch may lay over the manifest's block. */
export interface LifecycleOverride {
  readonly taskAcceptance?: TaskAcceptance;
  readonly afterTask?: AfterTask;
}

/** Later upstream material says an undeclared value never moves a command to the background (spec/README.md section 6). */
const defaultShellGraceSeconds = 10;

export function readLifecycle(raw: z.infer<typeof lifecycleShape>, fault: Fault): LifecycleConfig {
  const count = (key: Exclude<keyof NonNullable<typeof raw>, 'task_acceptance' | 'after_task' | 'conversation'>) =>
    notNegative(raw?.[key], ['lifecycle', key], fault);
  return present({
    taskAcceptance: raw?.task_acceptance ?? ('single' as const),
    afterTask: raw?.after_task ?? ('exit' as const),
    queueDepth: count('queue_depth') ?? 1,
    inputTimeoutSeconds: count('input_timeout_secs'),
    conversation: raw?.conversation ?? ('stateless' as const),
    maxTaskReopens: count('max_task_reopens') ?? 1,
    shellGraceSeconds: count('shell_grace_secs') ?? defaultShellGraceSeconds,
    delegationDeadlineSeconds: count('delegation_deadline_secs') ?? 600,
    deadlineNoticeSeconds: positive(raw?.deadline_notice_secs, ['lifecycle', 'deadline_notice_secs'], fault),
  });
}

/** Whether a session hears of commands that end in the background; where it does not, none is moved there (spec/manifest.md 11). */
export function hearsOfCompletions({
  taskAcceptance,
  afterTask,
}: Pick<LifecycleConfig, 'taskAcceptance' | 'afterTask'>): boolean {
  return taskAcceptance === 'queue' && afterTask === 'sleep';
}

/** The block a session runs with: the manifest's, with what the launch overrides laid over it. */
export function overrideLifecycle(config: LifecycleConfig, override: LifecycleOverride): LifecycleConfig {
  return { ...config, ...present({ taskAcceptance: override.taskAcceptance, afterTask: override.afterTask }) };
}
