/** What an index lists: folders that are other repositories, and all files. */
export interface GitIndex {
  links: string[];
  files: string[];
}

const GITLINK = 0o160000;
const TYPE = 0o170000;
const EXTENDED = 0x4000;

/**
 * Reads git's index, versions 2 to 4.
 *
 * @param hash how many bytes an object's name has.
 * @returns undefined for one that is not understood, or that is kept in a further file.
 */
export function readGitIndex(bytes: Buffer, hash: number): GitIndex | undefined {
  if (bytes.length < 12 + hash || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const index: GitIndex = { links: [], files: [] };
  const end = bytes.length - hash;
  let at = 12;
  let previous = Buffer.alloc(0);
  for (let count = bytes.readUInt32BE(8); count > 0; count -= 1) {
    if (at + 42 + hash > end) return undefined;
    const mode = bytes.readUInt32BE(at + 24);
    const flags = bytes.readUInt16BE(at + 40 + hash);
    let start = at + 42 + hash;
    if ((flags & EXTENDED) !== 0) {
      if (version === 2) return undefined;
      start += 2;
    }
    let stripped = 0;
    if (version === 4) {
      const length = readLength(bytes, start);
      if (length === undefined || length.value > previous.length) return undefined;
      stripped = length.value;
      start = length.end;
    }
    const zero = bytes.indexOf(0, start);
    if (zero === -1 || zero > end) return undefined;
    const rest = bytes.subarray(start, zero);
    const name =
      version === 4 ? Buffer.concat([previous.subarray(0, previous.length - stripped), rest]) : rest;
    previous = Buffer.from(name);
    const kind = mode & TYPE;
    (kind === GITLINK ? index.links : index.files).push(name.toString());
    // Entries are padded to a multiple of eight bytes, with at least one zero.
    at = version === 4 ? zero + 1 : at + ((zero - at + 8) & ~7);
  }
  return hasNeededExtension(bytes, at, end) ? undefined : index;
}

/** Names in small letters must be understood: they keep entries elsewhere, or whole folders as one. */
function hasNeededExtension(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at + 8 <= end; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (!/^[A-Z]/.test(bytes.toString("latin1", at, at + 1))) return true;
  }
  return false;
}

function readLength(bytes: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let at = start; at < bytes.length && at < start + 5; at += 1) {
    const byte = bytes[at] ?? 0;
    value = at === start ? byte & 127 : ((value + 1) << 7) | (byte & 127);
    if ((byte & 128) === 0) return { value, end: at + 1 };
  }
  return undefined;
}
