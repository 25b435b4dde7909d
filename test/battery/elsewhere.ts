/**
 * Rows of the checklist that are not attempts from inside of a box, with the test that shows each. A test keeps the files there.
 */
export const elsewhere: Readonly<Record<string, string>> = {
  'refusals and reachability: floors, missing mechanisms, poor hosts (section 8)': 'test/containment/probe.test.ts',
  'the tier table (section 8)': 'test/containment/tier.test.ts',
  'programs of a home directory under sealed, compiler helpers, pinned runtimes (section 8)':
    'test/containment/executables.test.ts',
  'no delegated cgroup: E-RUN-012, W-SEC-010, W-SEC-901 (section 8)': 'test/resources',
  'names, ports, private addresses, query types, the 17th port (section 9)': 'test/containment/egress',
  'descriptors of the product itself after an exec (section 11)': 'test/containment/box',
  'poor hosts, through the command itself (section 8)': 'test/e2e/poor-hosts.test.ts',
  'an agent that sends data elsewhere, through the command itself (section 9)': 'test/e2e/exfiltrate.test.ts',
  'ends of a session with daemons, through the command itself: 100 rounds': 'test/soak/kill.test.ts',
  'native tools, through the command itself (sections 7, 11)': 'test/e2e/native.test.ts',
  'detached-outlives-turn, detached-flood': 'test/effects/command/background.test.ts',
  'explain-scope-truth': 'test/e2e/explain.test.ts',
  'symlinked-workdir, workdir-under-tmp': 'test/containment/box',
  'wasm-memory-balloon': 'test/wasm/limits.test.ts',
  'wasm-spin': 'test/wasm/deadline.test.ts',
  'wasm-preopen-escape': 'test/soak/fs-race.test.ts',
};

/** Rows of the checklist that nothing here or elsewhere shows yet, and why. */
export const uncovered: Readonly<Record<string, string>> = {
  'class unconfined, beyond attempts that only read or write into folders of the battery':
    'they would be made on the machine itself',
  'read-only-redirect, -argv, -tool, -annotated, -symlink, -interpreter':
    'refused by the runtime before a command starts: not a property of a box',
  'real containers, AppArmor restriction, SELinux, arm64 machines, kernels before 6.18': 'one machine',
  'chains without bubblewrap': 'the battery runs the chain the probe chose; test/containment/box runs the other chains',
};
