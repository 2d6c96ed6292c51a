/** A node of a parsed page, as far as it is used here. */
export interface PageNode {
  /** Absent for a text. */
  rawTagName?: string;
  childNodes: PageNode[];
  parentNode?: PageNode | null;
  textContent: string;
  getAttribute(name: string): string | undefined;
  setAttribute(name: string, value: string): unknown;
  removeAttribute(name: string): unknown;
  getElementsByTagName(name: string): PageNode[];
  toString(): string;
}

/** A page as Markdown. */
export interface MarkdownPage {
  title: string;
  markdown: string;
}

/**
 * Turns a page into Markdown: without scripts, styles, comments and what is hidden, with absolute links. It is also
 * sent to a worker as its source text, so it uses nothing from around itself.
 *
 * @param url - Where the page came from.
 * @param parse - Reads HTML.
 * @param translate - Turns HTML into Markdown; its time grows faster than the size, so it gets a page in pieces.
 */
export function convertPage(
  html: string,
  url: string,
  parse: (html: string) => PageNode,
  translate: (html: string) => string,
): MarkdownPage {
  const dropped = new Set(["script", "style", "template", "svg", "iframe", "object", "head", "title"]);
  const containers = new Set(["html", "body", "div", "main", "section", "article", "form", "center"]);
  const pieceSize = 10_000;
  const hiding =
    /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size)\s*:\s*0[a-z.0%]*\s*(?:;|!|$))/i;

  const page = parse(html);
  const titles = page
    .getElementsByTagName("title")
    .filter(({ parentNode }) => parentNode?.rawTagName !== "svg");
  const title = (titles[0]?.textContent ?? "").replace(/\s+/g, " ").trim();
  const named = page.getElementsByTagName("base")[0]?.getAttribute("href");
  const base = named === undefined ? url : (resolveLink(named, url) ?? url);

  clean(page);
  const pieces: string[] = [];
  let open = "";
  split(page);
  close();
  return { title, markdown: pieces.filter((piece) => piece !== "").join("\n\n") };

  function clean(root: PageNode): void {
    const waiting = [root];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      node.childNodes = node.childNodes.filter((child) => !isDropped(child));
      for (const child of node.childNodes) {
        if (!child.rawTagName) continue;
        setLink(child, "href");
        setLink(child, "src");
        waiting.push(child);
      }
    }
  }

  function isDropped(node: PageNode): boolean {
    const name = node.rawTagName?.toLowerCase();
    if (!name) return false;
    if (dropped.has(name) || node.getAttribute("hidden") !== undefined) return true;
    return hiding.test(node.getAttribute("style") ?? "");
  }

  function setLink(node: PageNode, attribute: string): void {
    const link = node.getAttribute(attribute);
    if (link === undefined) return;
    const target = resolveLink(link.trim(), base);
    if (target === undefined) node.removeAttribute(attribute);
    else node.setAttribute(attribute, target);
  }

  function resolveLink(link: string, from: string): string | undefined {
    if (!URL.canParse(link, from)) return undefined;
    const { protocol, href } = new URL(link, from);
    return ["http:", "https:", "mailto:"].includes(protocol) ? href : undefined;
  }

  function split(node: PageNode): void {
    for (const child of node.childNodes) {
      const text = child.toString();
      const isContainer = containers.has(child.rawTagName?.toLowerCase() ?? "");
      if (isContainer && text.length > pieceSize) {
        close();
        split(child);
        close();
        continue;
      }
      open += text;
      if (open.length > pieceSize) close();
    }
  }

  function close(): void {
    if (open !== "") pieces.push(translate(open).trim());
    open = "";
  }
}
