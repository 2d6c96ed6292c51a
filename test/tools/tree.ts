import { createPlace } from "./call.ts";

/** A workspace with ignored, hidden and secret files; all but one hold the word "needle". */
export function createTree() {
  return createPlace({
    ".gitignore": "dist/\n*.log\n!keep.log\n",
    ".env": "KEY=needle\n",
    ".github/workflows/ci.yml": "needle: ci\n",
    "a.ts": "const needle = 1;\nconst other = 2;\n",
    "src/b.ts": "// Needle\r\n",
    "src/.gitignore": "generated.ts\n!important.log\n",
    "src/generated.ts": "needle\n",
    "src/important.log": "needle\n",
    "debug.log": "needle\n",
    "keep.log": "needle\n",
    "dist/out.ts": "needle\n",
    "node_modules/m/index.ts": "needle\n",
    "keys/server.pem": "needle\n",
  });
}
