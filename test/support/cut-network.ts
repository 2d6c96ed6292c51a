import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a port of this machine that can be cut without anybody being told. */
export interface CutNetwork {
  port: number;
  /** From now on nothing arrives, and no connection is closed. */
  cut: () => void;
  /**
   * Cuts when this text goes by on its way to the port, so that nobody is told whether it arrived. Resolves then.
   *
   * @param arrives - Whether what holds the text is still passed on.
   */
  cutAt: (text: string, options: { arrives: boolean }) => Promise<void>;
  /** New connections arrive again; those that were cut stay so. */
  mend: () => void;
  close: () => Promise<void>;
}

/** Passes on what comes for a port of 127.0.0.1. */
export async function startCutNetwork(port: number): Promise<CutNetwork> {
  let isCut = false;
  let watched: { text: string; arrives: boolean; tell: () => void } | undefined;
  const sockets = new Set<Socket>();
  const lost = new WeakSet<Socket>();
  const join = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    socket.on("data", (bytes) => {
      if (!lost.has(socket)) other.write(bytes);
    });
    const end = () => {
      sockets.delete(socket);
      if (!lost.has(socket)) other.destroy();
    };
    socket.on("error", end).on("close", end);
  };
  const cut = () => {
    isCut = true;
    for (const socket of sockets) lost.add(socket);
  };
  const watch = (bytes: Buffer, far: Socket) => {
    if (watched === undefined || !bytes.includes(watched.text)) return;
    const { arrives, tell } = watched;
    watched = undefined;
    cut();
    if (arrives) far.write(bytes);
    tell();
  };
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    near.on("data", (bytes) => watch(bytes, far));
    join(near, far);
    join(far, near);
    if (isCut) for (const socket of [near, far]) lost.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    cutAt(text, options) {
      return new Promise((resolve) => {
        watched = { text, ...options, tell: resolve };
      });
    },
    mend() {
      isCut = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
