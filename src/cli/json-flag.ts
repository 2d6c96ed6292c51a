import { Option } from "commander";

/** The flag that every command with facts for scripts has. */
export function jsonFlag(): Option {
  return new Option("--json", "JSON on standard output, for scripts");
}
