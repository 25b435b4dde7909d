/** Milliseconds of processor time this process has used: other work on the machine does not count, unlike in time that passes. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
