import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createConfined, whyNot } from "./confine.ts";

const suite = describe.skipIf(whyNot !== "");

suite(`what a confined command can do${whyNot && ` (${whyNot})`}`, () => {
  it.each([
    ["become another user", "su -c id || sudo -n id"],
    ["make a user namespace", "unshare -U id"],
    ["mount", "mount -t tmpfs x /tmp"],
    ["open the root again", "mount -o remount,rw /"],
    ["take a cover away", "umount .env"],
    ["change the root", "chroot / id"],
    ["enter the first process's namespaces", "nsenter -t 1 -m -p id"],
    ["make a device", "mknod null c 1 3"],
    ["change settings of the machine", "echo x > /proc/sys/kernel/core_pattern"],
    ["use the system's keys to the machine", "echo h > /proc/sysrq-trigger"],
    ["read the kernel's memory", "cat /proc/kcore"],
    ["open a terminal", "exec 3<> /dev/tty"],
    ["signal a process outside", `kill -0 ${process.pid} 2> /dev/null && [ ${process.pid} -gt 100 ]`],
  ])("it cannot %s", (_what, script) => {
    const { run } = createConfined({ "work/.env": "K=1" });
    expect(run(script)).toMatchObject({ stdout: "" });
    expect(run(script).code).not.toBe(0);
  });

  it("it holds no capability, and a program cannot give it one", () => {
    const { run } = createConfined();
    const { stdout } = run("grep -E '^(Cap|NoNewPrivs)' /proc/self/status | tr -s '\\t' ' '");
    const sets = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"];
    const lines = [...sets.map((name) => `${name}: ${"0".repeat(16)}`), "NoNewPrivs: 1"];
    expect(stdout.trimEnd().split("\n")).toEqual(lines);
  });

  it("it sees no process outside, and no environment but its own", () => {
    const { run } = createConfined();
    expect(Number(run("ls /proc | grep -c '^[0-9]'").stdout)).toBeLessThan(8);
    expect(run("cat /proc/*/environ | tr '\\0' '\\n' | grep -c ^VITEST").stdout).toBe("0\n");
  });

  it("it reaches no server of this machine without the network, and with it does", async () => {
    const server = createServer((socket) => socket.end("hello\n"));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const { run } = createConfined();
    // The server answers when this process is free again, so only the connection is tried.
    const script = `exec 3<> /dev/tcp/127.0.0.1/${port} && echo connected`;
    expect(run(script)).toMatchObject({ stdout: "", code: 1 });
    expect(run(script, { options: { network: true } })).toMatchObject({ stdout: "connected\n", code: 0 });
  });

  it("sockets of the system, of the home folder and of the temporary folder are not there", async () => {
    const { root, home, run } = createConfined();
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(join(home, "agent.sock"), resolve));
    const paths = [
      `${home}/agent.sock`,
      "/var/run/docker.sock",
      "/run/dbus/system_bus_socket",
      "/tmp/.X11-unix",
    ];
    for (const path of paths) expect(run(`ls ${path}`), path).toMatchObject({ stdout: "" });
    expect(run(`ls ${root}`).stdout).toBe("home\nwork\n");
  });

  it("shared memory works, and lasts like a file", () => {
    const { run } = createConfined();
    expect(run("echo x > /dev/shm/a").code).toBe(0);
    expect(run("cat /dev/shm/a").stdout).toBe("x\n");
  });

  it("names with blanks, quotes, line breaks and escape characters are closed as others are", () => {
    const names = ["a b", "it's", 'a"b', "a\nb", "a\u001b[31mb", "-n", "--bind", "ä\u202e"];
    const files = names.map((name) => [`work/${name}/.env`, "K=1"]);
    const { run } = createConfined(Object.fromEntries(files));
    const { stdout, stderr } = run("cat -- */.env");
    expect(stdout).toBe("");
    expect(stderr.match(/Permission denied/g)).toHaveLength(names.length);
  });
});
