/** What a page is, as its content-type says. */
export interface MediaType {
  /** Such as `text/html`; undefined when the header is missing or cannot be read. */
  type?: string;
  charset?: string;
  /** `unknown`: its bytes tell. */
  kind: "html" | "text" | "other" | "unknown";
}

const TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/;
const HTML = new Set(["text/html", "application/xhtml+xml"]);
const TEXT =
  /^text\/|[/+](?:json|xml|yaml)$|^application\/(?:x-)?(?:ndjson|jsonlines|json5|toml|javascript|ecmascript|typescript|sh|sql|graphql|www-form-urlencoded)$/;

/** Reads a content-type header. */
export function readMediaType(header: string | undefined): MediaType {
  const [first = "", ...parameters] = (header ?? "").split(";");
  const type = first.trim().toLowerCase();
  if (!TYPE.test(type)) return { kind: "unknown" };
  const named = parameters.map((each) => /^\s*charset\s*=\s*["']?([^"'\s]+)/i.exec(each)?.[1]).find(Boolean);
  const kind = HTML.has(type) ? "html" : TEXT.test(type) ? "text" : "other";
  return { type, kind, ...(named === undefined ? {} : { charset: named }) };
}
