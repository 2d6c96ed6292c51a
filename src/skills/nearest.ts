/**
 * The names that were probably meant, best first: those that begin like the given one, then those that differ
 * in few letters.
 *
 * @param limit How many at most; 3 by default.
 */
export function findNearest(name: string, names: Iterable<string>, limit = 3): string[] {
  const wanted = name.normalize("NFC").toLowerCase();
  if (wanted === "") return [];
  const allowed = Math.max(2, Math.floor(wanted.length / 3));
  return [...names]
    .map((known) => ({ known, distance: measure(wanted, known.toLowerCase()) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((left, right) => left.distance - right.distance || (left.known < right.known ? -1 : 1))
    .slice(0, limit)
    .map(({ known }) => known);
}

function measure(wanted: string, known: string): number {
  const distance = countEdits([...wanted.slice(0, 100)], [...known.slice(0, 100)]);
  const begins = known.startsWith(wanted) || (known !== "" && wanted.startsWith(known));
  const contains = wanted.length > 2 && known.includes(wanted);
  return begins ? Math.min(distance, 1) : contains ? Math.min(distance, 2) : distance;
}

/** How many slips part two words. Two letters in the wrong order are one: it is the most common slip of the keyboard. */
export function countEdits(from: string[], to: string[]): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, letter] of from.entries()) {
    const current = [row + 1];
    for (const [column, other] of to.entries()) {
      let edits = Math.min(
        (last[column] ?? 0) + (letter === other ? 0 : 1),
        (last[column + 1] ?? 0) + 1,
        (current[column] ?? 0) + 1,
      );
      const swapped = row > 0 && column > 0 && letter === to[column - 1] && from[row - 1] === other;
      if (swapped) edits = Math.min(edits, (beforeLast[column - 1] ?? 0) + 1);
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
