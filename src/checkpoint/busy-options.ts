/** How long to wait for a database that another process holds. */
export interface BusyOptions {
  /** Milliseconds until giving up. Default 30,000. */
  busyTimeoutMs?: number;
}
