import { exitCodes } from "./exit-code.ts";

/** A watch over the signals that ask this process to end. */
export interface Interrupts {
  /** Aborts at the first signal. */
  signal: AbortSignal;
  /** Leaves the signals to whoever watches next. */
  dispose: () => void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Aborts at the first signal, so that a run ends in order and can be resumed; at the second one the process
 * exits at once.
 */
export function watchInterrupts(): Interrupts {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
