import { SkillgraphError } from "../../errors.ts";

const MAX_LENGTH = 8_192;
const SHOWN = 200;
/** Control and format characters, halves of a pair: an address with them reads as another one than it is. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Reads the address of a page. What comes back is normalised: ASCII only, a host name without its final dot, no
 * fragment.
 *
 * @param base - What a relative address starts from, as in a redirect.
 * @throws SkillgraphError `tool-failed` for what is no http(s) address, is over 8,192 characters, holds characters
 *   that are not seen, or a user name or password.
 */
export function readWebAddress(text: string, base?: URL): URL {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) {
    throw refuse(trimmed, `it has ${trimmed.length} characters, more than ${MAX_LENGTH}`);
  }
  if (UNSEEN.test(trimmed)) throw refuse(trimmed, "it holds a control or format character");
  const url = parse(trimmed, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refuse(trimmed, "only http: and https: addresses are fetched");
  }
  if (url.username !== "" || url.password !== "") {
    throw refuse(hideCredentials(url), "it holds a user name or a password, which are never sent");
  }
  url.hostname = url.hostname.replace(/\.$/, "");
  if (url.hostname.startsWith(".") || url.hostname.endsWith(".") || url.hostname.includes("..")) {
    throw refuse(trimmed, "its host has an empty part");
  }
  url.hash = "";
  if (url.href.length > MAX_LENGTH) throw refuse(trimmed, `it has more than ${MAX_LENGTH} characters`);
  return url;
}

/** An address or a part of one for a message: quoted, on one line, not too long, everything in it seen. */
export function toShownAddress(text: string): string {
  const short = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  const seen = short.replace(
    new RegExp(UNSEEN, "gu"),
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return `"${seen}"`;
}

function parse(text: string, base: URL | undefined): URL {
  try {
    return new URL(text, base);
  } catch (error) {
    const advice = /^[\w.-]+\.\w+(?:[/:?]|$)/.test(text) ? ` Write https://${text.slice(0, SHOWN)}` : "";
    throw refuse(text, "it is no address", { advice, cause: error });
  }
}

function refuse(text: string, why: string, more: { advice?: string; cause?: unknown } = {}): SkillgraphError {
  const message = `${toShownAddress(text)} was not fetched: ${why}.${more.advice ?? ""}`;
  return new SkillgraphError("tool-failed", message, more.cause === undefined ? {} : { cause: more.cause });
}

function hideCredentials(url: URL): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href;
}
