import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * Names the machine inside which a process id means something: its host name, this start of it, and its process
 * namespace, since two containers may have the same host name and each its own process 7.
 */
export function readMachine(): string {
  return [hostname(), readBoot(), readNamespace()].join("/");
}

function readBoot(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // Only Linux tells.
    return "";
  }
}

function readNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // Only Linux has them.
    return "";
  }
}
