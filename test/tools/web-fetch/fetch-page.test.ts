import { describe, expect, it } from "vitest";
import { findPrivateRange } from "../../../src/tools/web-fetch/private-address.ts";
import { createCertificate, startRawServer, startWebServer } from "../../support/web-server.ts";
import { anywhere, fetchText } from "./fetching.ts";

const PAGE = "<title>T</title><p>Hello.";

describe("private addresses", () => {
  it.each([
    ["127.0.0.1", (port: number) => `http://127.0.0.1:${port}/`],
    ["localhost", (port: number) => `http://localhost:${port}/`],
    ["localhost.", (port: number) => `http://localhost.:${port}/`],
    ["a name below localhost", (port: number) => `http://any.localhost:${port}/`],
    ["one decimal number", (port: number) => `http://2130706433:${port}/`],
    ["hexadecimal", (port: number) => `http://0x7f000001:${port}/`],
    ["octal", (port: number) => `http://0177.0.0.01:${port}/`],
    ["a short form", (port: number) => `http://127.1:${port}/`],
    ["0.0.0.0", (port: number) => `http://0.0.0.0:${port}/`],
    ["IPv4 in IPv6", (port: number) => `http://[::ffff:127.0.0.1]:${port}/`],
    ["IPv6 loopback", (port: number) => `http://[::1]:${port}/`],
    ["full-width digits", (port: number) => `http://１２７.０.０.１:${port}/`],
  ])("%s is refused, and no connection is made", async (_name, toUrl) => {
    const server = await startWebServer(PAGE);
    await expect(fetchText(toUrl(server.port))).rejects.toThrow(
      /not of the public internet .*"privateHosts"/,
    );
    expect(server.requests).toEqual([]);
  });

  it("a listed host is fetched, by name, with and without its port", async () => {
    const server = await startWebServer(PAGE);
    const port = String(server.port);
    expect(await fetchText(server.url, { privateHosts: [server.host] })).toContain("Hello.");
    expect(await fetchText(server.url, { privateHosts: ["127.0.0.1"] })).toContain("Hello.");
    const named = { ...anywhere, findPrivateRange };
    const url = `http://LocalHost.:${port}/`;
    expect(await fetchText(url, { privateHosts: [`localhost:${port}`], options: named })).toContain("Hello.");
    expect(server.requests.length).toBe(3);
  });

  it.each(["127.0.0.1:1", "localhost", "127.0.0.11", "0.0.1", "*", "http://127.0.0.1"])(
    "the listed host %s is another one",
    async (listed) => {
      const server = await startWebServer(PAGE);
      await expect(fetchText(server.url, { privateHosts: [listed] })).rejects.toThrow("not of the public");
    },
  );

  it("approved or not, it is refused", async () => {
    const server = await startWebServer(PAGE);
    await expect(fetchText(server.url, { approved: true, mayFetch: () => true })).rejects.toThrow("public");
    expect(server.requests).toEqual([]);
  });

  it("one private address among several is enough, and none is told", async () => {
    const server = await startWebServer(PAGE);
    const findAddresses = async () => [
      { address: "93.184.215.14", family: 4 },
      { address: "10.11.12.13", family: 4 },
    ];
    const fetching = fetchText(`http://pages.example:${server.port}/`, { options: { findAddresses } });
    await expect(fetching).rejects.toThrow(/pages\.example leads to .*\(private\)/);
    await expect(fetching).rejects.not.toThrow("10.11.12.13");
  });
});

describe("the connection", () => {
  it("goes to the address that was checked, though the name means another one by then", async () => {
    const server = await startWebServer(PAGE);
    const answers = [[{ address: "127.0.0.1", family: 4 }], [{ address: "10.0.0.1", family: 4 }]];
    let lookups = 0;
    const findAddresses = async () => answers[lookups++] ?? [];
    const options = { findAddresses, findPrivateRange: async () => undefined };
    const text = await fetchText(`http://pages.example:${server.port}/`, { options });
    expect(text).toContain("Hello.");
    expect(lookups).toBe(1);
    expect(server.requests[0]?.headers.host).toBe(`pages.example:${server.port}`);
  });

  it("a name that means a private address at the second hop is refused there", async () => {
    const server = await startWebServer((_request, response) => {
      response.writeHead(302, { location: "/next" }).end();
    });
    const answers = [[{ address: "127.0.0.1", family: 4 }], [{ address: "10.0.0.1", family: 4 }]];
    let lookups = 0;
    const options = {
      findAddresses: async () => answers[lookups++] ?? [],
      findPrivateRange: async (address: string) => (address === "127.0.0.1" ? undefined : "private"),
    };
    const fetching = fetchText(`http://pages.example:${server.port}/`, { options });
    await expect(fetching).rejects.toThrow("pages.example leads to");
    expect(server.requests.length).toBe(1);
  });

  it("tries the other checked addresses when one does not answer", async () => {
    const server = await startWebServer(PAGE);
    const findAddresses = async () => [
      { address: "::1", family: 6 },
      { address: "127.0.0.1", family: 4 },
    ];
    const options = { ...anywhere, findAddresses };
    expect(await fetchText(`http://pages.example:${server.port}/`, { options })).toContain("Hello.");
  });

  it("sends GET, no cookies and no credentials, and says who it is", async () => {
    const server = await startWebServer((_request, response) => {
      response.setHeader("set-cookie", "a=b");
      response.writeHead(302, { location: "/next" }).end();
    });
    const options = { ...anywhere, userAgent: "skillgraph/9", limits: { redirects: 1 } };
    await expect(fetchText(server.url, { options })).rejects.toThrow("redirects more than 1 times");
    const [first, second] = server.requests;
    expect(first?.method).toBe("GET");
    expect(Object.keys(first?.headers ?? {}).sort()).toEqual([
      ...["accept", "accept-encoding", "connection", "host", "user-agent"],
    ]);
    expect(first?.headers["user-agent"]).toBe("skillgraph/9");
    expect(second?.headers.cookie).toBeUndefined();
  });

  it("leaves no socket behind, after an answer, a failure and a body that is not read", async () => {
    const server = await startWebServer((request, response) => {
      if (request.url === "/cut") return response.destroy();
      response.setHeader("content-type", request.url === "/image" ? "image/png" : "text/plain");
      response.end("x".repeat(1_000_000));
    });
    await fetchText(`${server.url}text`, { options: anywhere });
    await fetchText(`${server.url}image`, { options: anywhere });
    await expect(fetchText(`${server.url}cut`, { options: anywhere })).rejects.toThrow("was not fetched");
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  it("says that a host is not found, or refuses the connection", async () => {
    const options = {
      findAddresses: async () => {
        throw new Error("getaddrinfo ENOTFOUND none.example");
      },
    };
    await expect(fetchText("https://none.example/", { options })).rejects.toThrow(
      "none.example was not found",
    );
    const none = { findAddresses: async () => [] };
    await expect(fetchText("https://none.example/", { options: none })).rejects.toThrow("has no address");
    await expect(fetchText("http://pages.example:9/", { options: anywhere })).rejects.toThrow("ECONNREFUSED");
  });
});

describe("https", () => {
  const certificate = createCertificate("pages.example");

  it.skipIf(!certificate)("checks the certificate against the name (needs openssl)", async () => {
    const server = await startWebServer(PAGE, certificate);
    const options = { ...anywhere, ...(certificate ? { authorities: certificate.cert } : {}) };
    const at = (name: string) => `https://${name}:${server.port}/`;
    expect(await fetchText(at("pages.example"), { options })).toContain("Hello.");
    await expect(fetchText(at("other.example"), { options })).rejects.toThrow("does not match certificate");
    await expect(fetchText(at("127.0.0.1"), { options })).rejects.toThrow(/certificate/);
    await expect(fetchText(at("pages.example"), { options: anywhere })).rejects.toThrow(/self-signed/);
  });

  it.skipIf(!certificate)("checks it whatever the environment says (needs openssl)", async () => {
    const server = await startWebServer(PAGE, certificate);
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      const fetching = fetchText(`https://pages.example:${server.port}/`, { options: anywhere });
      await expect(fetching).rejects.toThrow(/self-signed/);
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  it.skipIf(!certificate)("is not left for http without the rules (needs openssl)", async () => {
    const plain = await startWebServer(PAGE);
    const server = await startWebServer((_request, response) => {
      response.writeHead(301, { location: `http://pages.example:${plain.port}/` }).end();
    }, certificate);
    const options = { ...anywhere, ...(certificate ? { authorities: certificate.cert } : {}) };
    const url = `https://pages.example:${server.port}/`;
    expect(await fetchText(url, { options })).toContain("was not followed");
    expect(plain.requests).toEqual([]);
    expect(await fetchText(url, { options, mayFetch: () => true })).toContain("Hello.");
  });
});

describe("redirects", () => {
  const redirect = (location: string, status = 302) =>
    startWebServer((request, response) => {
      if (request.url !== "/") return response.end("Arrived.");
      response.writeHead(status, { location, "content-type": "text/plain" }).end("Moved.");
    });

  it.each([301, 302, 303, 307, 308])("%i to the same host is followed", async (status) => {
    const server = await redirect("/there", status);
    const text = await fetchText(server.url, { options: anywhere });
    expect(text).toContain(`Redirected from ${server.url}.`);
    expect(text).toContain("Arrived.");
  });

  it.each([300, 304, 305])("%i is an answer", async (status) => {
    const server = await redirect("/there", status);
    expect(await fetchText(server.url, { options: anywhere })).toContain(`${server.url}: ${status} `);
    expect(server.requests.length).toBe(1);
  });

  it("another host is told, and followed only when the rules allow that very address", async () => {
    const other = await startWebServer("<p>Other.");
    const server = await redirect(`http://other.example:${other.port}/x?y#z`);
    const text = await fetchText(server.url, { options: anywhere });
    expect(text).toContain(
      `redirects (302 Found) to http://other.example:${other.port}/x?y, which is another`,
    );
    expect(text).toContain("Call WebFetch with that address");
    expect(other.requests).toEqual([]);
    const asked: string[] = [];
    const mayFetch = (url: string) => asked.push(url) > 0;
    expect(await fetchText(server.url, { options: anywhere, mayFetch })).toContain("Other.");
    expect(asked).toEqual([`http://other.example:${other.port}/x?y`]);
  });

  it("another port of the same host is another one", async () => {
    const other = await startWebServer("<p>Other.");
    const server = await redirect(other.url);
    expect(await fetchText(server.url, { options: anywhere })).toContain("was not followed");
    expect(other.requests).toEqual([]);
  });

  it("a person's yes to one address is none to where it leads", async () => {
    const other = await startWebServer("<p>Other.");
    const server = await redirect(`http://other.example:${other.port}/`);
    expect(await fetchText(server.url, { options: anywhere, approved: true })).toContain("was not followed");
    expect(other.requests).toEqual([]);
  });

  it.each([
    ["file:///etc/passwd", "only http: and https:"],
    ["data:text/html,x", "only http: and https:"],
    ["gopher://127.0.0.1:70/x", "only http: and https:"],
    ["http://user:secret@example.com/", "user name or a password"],
    ["http://[::1", "no address"],
    ["http://localhost/", "is a name for"],
    ["http://metadata.google.internal/computeMetadata/v1/", "is a name for"],
  ])("to %s is refused", async (location, why) => {
    const server = await redirect(location);
    await expect(fetchText(server.url, { options: anywhere, mayFetch: () => true })).rejects.toThrow(why);
    await expect(fetchText(server.url, { options: anywhere })).rejects.toThrow(why);
  });

  it.each([
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]:9/",
    "http://2130706433:9/",
    "http://0:9/",
  ])("to %s is refused, also where the rules allow every address", async (location) => {
    const server = await redirect(location);
    const options = { findAddresses: anywhere.findAddresses };
    const place = { options, privateHosts: [server.host], mayFetch: () => true };
    await expect(fetchText(server.url, place)).rejects.toThrow("not of the public internet");
  });

  it("a loop ends after five", async () => {
    const server = await startWebServer((_request, response) => {
      response.writeHead(302, { location: "/" }).end();
    });
    await expect(fetchText(server.url, { options: anywhere })).rejects.toThrow("more than 5 times");
    expect(server.requests.length).toBe(6);
  });

  it("a redirect without a place to go is an answer", async () => {
    const server = await startWebServer((_request, response) => {
      response.writeHead(302, { "content-type": "text/plain" }).end("Nowhere.");
    });
    expect(await fetchText(server.url, { options: anywhere })).toContain("Nowhere.");
  });
});

describe("limits", () => {
  const fast = { connectMs: 500, idleMs: 300, totalMs: 1_000, bodyBytes: 100_000 };
  const options = { ...anywhere, limits: fast };
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";

  it("an endless body is cut at the limit", async () => {
    const server = await startRawServer((socket) => {
      socket.write(`${head}\r\n`);
      const chunk = Buffer.alloc(64_000, "x");
      const pour = () => {
        while (!socket.destroyed && socket.write(chunk));
        if (!socket.destroyed) socket.once("drain", pour);
      };
      pour();
    });
    const text = await fetchText(server.url, { options });
    expect(text).toContain("more than 100,000 bytes");
    expect(text).toContain("[Only the first 100,000 bytes were read.]");
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  it("a body that drips is ended by the whole limit", async () => {
    const server = await startRawServer((socket) => {
      socket.write(`${head}\r\n`);
      const drip = setInterval(() => socket.write("x"), 50);
      socket.on("close", () => clearInterval(drip));
    });
    await expect(fetchText(server.url, { options })).rejects.toThrow("it took longer than 1,000 ms");
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  it("a server that says nothing, or stops in the middle, is left", async () => {
    const silent = await startRawServer(() => undefined);
    await expect(fetchText(silent.url, { options })).rejects.toThrow("nothing came for 300 ms");
    const stalled = await startRawServer((socket) => socket.write(`${head}content-length: 10\r\n\r\nabc`));
    await expect(fetchText(stalled.url, { options })).rejects.toThrow("nothing came for 300 ms");
  });

  it("a lookup that never ends is left", async () => {
    const findAddresses = () => new Promise<never>(() => undefined);
    const stuck = { ...options, findAddresses };
    await expect(fetchText("http://pages.example/", { options: stuck })).rejects.toThrow(
      "longer than 1,000 ms",
    );
  });

  it("a cancelled run ends the lookup, the waiting and the reading at once", async () => {
    const silent = await startRawServer(() => undefined);
    const endless = await startRawServer((socket) => socket.write(`${head}content-length: 10\r\n\r\nabc`));
    const findAddresses = () => new Promise<never>(() => undefined);
    for (const [url, found] of [
      [silent.url, anywhere],
      [endless.url, anywhere],
      ["http://pages.example/", { ...anywhere, findAddresses }],
    ] as const) {
      const signal = AbortSignal.timeout(100);
      const begin = performance.now();
      await expect(fetchText(url, { options: found, signal })).rejects.toThrow("the run was cancelled");
      expect(performance.now() - begin).toBeLessThan(2_000);
    }
    const signal = AbortSignal.abort();
    await expect(fetchText(silent.url, { options: anywhere, signal })).rejects.toThrow("run was cancelled");
    await expect.poll(() => silent.sockets.size + endless.sockets.size).toBe(0);
  });

  it("a length that lies: less is read as it is, more is said", async () => {
    const longer = await startRawServer((socket) => socket.end(`${head}content-length: 5\r\n\r\nabcdefghij`));
    expect(await fetchText(longer.url, { options })).toMatch(/\babcde$/);
    const shorter = await startRawServer((socket) => socket.end(`${head}content-length: 50\r\n\r\nabc`));
    const text = await fetchText(shorter.url, { options });
    expect(text).toContain("It ended early: aborted.");
    expect(text).toMatch(/\nabc$/);
  });

  it.each([
    ["headers of 1 MB", `HTTP/1.1 200 OK\r\n${"x-a: b\r\n".repeat(120_000)}\r\n`],
    ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["an empty answer", ""],
    ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
    ["line ends in a header", "HTTP/1.1 302 Found\r\nlocation: /a\rset: b\r\n\r\n"],
  ])("%s is a failure that is told", async (_name, answer) => {
    const server = await startRawServer((socket) => socket.end(answer));
    await expect(fetchText(server.url, { options })).rejects.toThrow(/^"http.*" was not fetched: ./);
  });
});
