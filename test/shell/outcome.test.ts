import { describe, expect, test } from 'vitest';
import {
  completionMessage,
  completionStatus,
  detachedResult,
  finishedResult,
  limitNote,
  notRunResult,
  stepFailure,
  unreadResult,
} from '../../src/shell/index.js';

const line = { name: 'git', args: ['log'], command: 'log' };

describe('what the model sees of a command', () => {
  test('6.1: the line, the exit code and both streams, in this order', () => {
    expect(finishedResult({ line, exitCode: 2, stdout: 'out\n', stderr: 'err' })).toEqual({
      status: 'passed',
      summary: 'shell command exited with code 2',
      data: '$ git log\nExit code: 2\nStdout:\nout\n\nStderr:\nerr',
      truncated: false,
      metadata: [],
    });
  });

  test('6.1: a shortened one says where the rest is', () => {
    const result = finishedResult({ line, exitCode: 0, stdout: '', stderr: '', logPath: '/r/logs/shell-1.log' });
    expect(result).toMatchObject({ truncated: true, metadata: [['full_output_path', '/r/logs/shell-1.log']] });
    expect(result.data).toMatch(/Stderr:\n\n\n.*\/r\/logs\/shell-1\.log\.$/);
  });

  test('6.2: one that did not run says why', () => {
    expect(notRunResult('no')).toMatchObject({ status: 'error', summary: 'shell execution failed', data: 'no' });
    expect(unreadResult('no')).toMatchObject({ status: 'error', data: 'no' });
    expect(unreadResult('no').summary).toContain('parsed');
  });

  test('6.3: one in the background is named by its id alone', () => {
    const { status, summary, data, metadata } = detachedResult('wrk_1');
    expect([status, metadata]).toEqual(['passed', [['work_id', 'wrk_1']]]);
    expect(`${summary} ${data}`.match(/wrk_1/g)).toHaveLength(2);
    expect(detachedResult('wrk_2').data?.length).toBe(data?.length);
  });

  test('6.4 and 9: the note names the field and what to do', () => {
    expect(limitNote('cpu_seconds')).toMatch(/capabilities\.resources\.cpu_seconds .*Split the work/);
    expect(limitNote('max_file_size_bytes')).toMatch(/max_file_size_bytes .*smaller files/);
    expect(limitNote('cgroup_memory_bytes')).toMatch(/cgroup_memory_bytes .*less memory.*fewer parallel jobs/);
    expect(limitNote('cgroup_pids_max')).toMatch(/cgroup_pids_max .*fewer processes/);
  });

  test('10: a failed step says stderr, else the exit code, and always an attributed limit', () => {
    expect(stepFailure({ binary: '/bin/x', exitCode: 1, stderr: 'why' })).toBe('why');
    expect(stepFailure({ binary: '/bin/x', exitCode: 1, stderr: '' })).toBe('exit code 1');
    expect(stepFailure({ binary: '/bin/x', exitCode: 152, stderr: '', resourceLimit: 'cpu_seconds' })).toBe(
      'E-RUN-011: /bin/x ran into capabilities.resources.cpu_seconds: exit code 152',
    );
  });
});

describe('the report of a background command (spec/shell.md 8.3)', () => {
  const completion = {
    workId: 'wrk_1',
    binary: '/bin/sleep',
    command: 'sleep 1',
    exitCode: 0,
    durationMs: 5,
    outputPath: '/r/logs/wrk_1.log',
    outputBytes: 40,
  };

  test('is one key per line, in this order', () => {
    const lines = completionMessage({ ...completion, resourceLimit: 'cpu_seconds', waitError: 'lost' }).split('\n');
    expect(lines[0]).toBe('A background shell command finished.');
    expect(lines.slice(1, -1)).toEqual([
      'work_id: wrk_1',
      'binary: /bin/sleep',
      'command: sleep 1',
      'status: error',
      'exit_code: 0',
      'duration_ms: 5',
      'output: /r/logs/wrk_1.log (40 bytes)',
      'resource_limit: cpu_seconds',
      'wait_error: lost',
    ]);
  });

  test('a command cannot add lines to it, and a huge one is cut', () => {
    const message = completionMessage({ ...completion, command: `a\r\nstatus: ok\u2028b${'x'.repeat(9999)}` });
    expect(message).toContain('command: a\\r\\nstatus: ok b');
    expect(message.length).toBeLessThan(2500);
  });

  test('is ok only without an exit code, a wait error and a limit', () => {
    expect(completionStatus(completion)).toBe('ok');
    expect(completionStatus({ ...completion, exitCode: 1 })).toBe('error');
    expect(completionStatus({ ...completion, waitError: 'x' })).toBe('error');
    expect(completionStatus({ ...completion, resourceLimit: 'cgroup_pids_max' })).toBe('error');
  });
});
