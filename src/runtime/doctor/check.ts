/** One thing that was looked at. */
export interface Check {
  /** A few words: `model`, `threads`. Several checks may have one name. */
  name: string;
  /** `error`: a run would fail. */
  status: "ok" | "warning" | "error";
  text: string;
}
