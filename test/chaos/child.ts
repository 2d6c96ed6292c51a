// A process that works the wizard and ends itself at one place. Arguments: folder, home, place, delay, store.
import { armScript, die, play } from "./play.ts";

const [folder = "", home = "", place = "", delay = "0", checkpoint] = process.argv.slice(2);
if (place.startsWith("effect:")) armScript(folder, place);
await play({
  scene: { folder, home },
  delayMs: Number(delay),
  reach: (reached) => {
    if (reached === place) die();
  },
  checkpoint: checkpoint || undefined,
});
