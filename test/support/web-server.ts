import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A web server on 127.0.0.1. */
export interface WebServer {
  port: number;
  /** `127.0.0.1:PORT`, as the settings list it. */
  host: string;
  url: string;
  requests: IncomingMessage[];
  /** Connections that stand. */
  sockets: Set<Socket>;
}

/** A key and a certificate that only a test trusts. */
export interface Certificate {
  key: string;
  cert: string;
}

/** Starts a server that ends with the test. What it answers is a handler, or a page of HTML. */
export async function startWebServer(
  answer: RequestListener | string,
  certificate?: Certificate,
): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  const handler: RequestListener = (request, response) => {
    requests.push(request);
    if (typeof answer === "function") return answer(request, response);
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(answer);
  };
  const server = certificate ? createSecureServer(certificate, handler) : createServer(handler);
  const { port, sockets } = await listen(server);
  const host = `127.0.0.1:${port}`;
  return { port, host, url: `${certificate ? "https" : "http"}://${host}/`, requests, sockets };
}

/** Starts a server that writes bytes of its own to every connection, for answers that no HTTP server gives. */
export async function startRawServer(answer: (socket: Socket) => void): Promise<Omit<WebServer, "requests">> {
  const server = createSocketServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => answer(socket));
  });
  const { port, sockets } = await listen(server);
  const host = `127.0.0.1:${port}`;
  return { port, host, url: `http://${host}/`, sockets };
}

/** Makes a certificate for a name; undefined where openssl is not installed. */
export function createCertificate(name: string): Certificate | undefined {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const named = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  try {
    execFileSync("openssl", ["req", ...kind, "-keyout", key, "-out", cert, ...named], { stdio: "ignore" });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function listen(server: Server): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}
