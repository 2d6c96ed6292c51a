/**
 * Starts a clock of the work that this process does, in milliseconds: a bound for work must not fail because the
 * machine is busy with other things.
 */
export function startCpuClock(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
