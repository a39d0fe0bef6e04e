// Measures work in processor time, because other programs can take most of the elapsed time.

/** Starts to measure. The result gives the processor time that this process has used since then (ms). */
export function processorTime(): () => number {
  const started = process.cpuUsage();
  return () => process.cpuUsage(started).user / 1000;
}
