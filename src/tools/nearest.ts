const MAX_NAME = 200;

/**
 * The choices that are written most like a name, best first; names that have little in common are left out.
 *
 * @param name - What was asked for.
 * @param choices - What there is.
 * @param count - How many to return at most; 3 by default.
 */
export function findNearest(name: string, choices: readonly string[], count = 3): string[] {
  const wanted = name.slice(0, MAX_NAME).toLowerCase();
  return choices
    .map((choice) => ({ choice, distance: distanceTo(wanted, choice.slice(0, MAX_NAME).toLowerCase()) }))
    .filter(
      ({ choice, distance }) =>
        distance <= Math.max(2, Math.ceil(Math.max(wanted.length, choice.length) / 2)),
    )
    .sort((left, right) => left.distance - right.distance || (left.choice < right.choice ? -1 : 1))
    .slice(0, count)
    .map(({ choice }) => choice);
}

/** Edit distance, halved where one name holds the other whole. */
function distanceTo(wanted: string, choice: string): number {
  let previous = Array.from({ length: choice.length + 1 }, (_, index) => index);
  for (let row = 1; row <= wanted.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= choice.length; column += 1) {
      const swap = (previous[column - 1] ?? 0) + (wanted[row - 1] === choice[column - 1] ? 0 : 1);
      current.push(Math.min(swap, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  const distance = previous[choice.length] ?? wanted.length;
  const contained = wanted.length > 2 && (choice.includes(wanted) || wanted.includes(choice));
  return contained ? distance / 2 : distance;
}
