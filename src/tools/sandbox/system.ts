import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Mount } from "./profile.ts";

/** Linked to folders below `/usr` on most systems, and folders of their own on others. */
const SYSTEM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const MORE_FOLDERS = ["/usr", "/nix/store", "/gnu/store", "/var/cache/fontconfig", "/var/lib/texmf"];

/** What ordinary programs read below `/etc`. Private keys, shadow files and tokens of package managers are not. */
const CONFIGURATION = new Set([
  ...["ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "passwd", "group", "nsswitch.conf"],
  ...["hosts", "host.conf", "gai.conf", "localtime", "timezone", "locale.alias", "locale.conf", "mime.types"],
  ...["protocols", "services", "networks", "os-release", "lsb-release", "debian_version", "inputrc"],
  ...["terminfo", "fonts", "magic", "magic.mime", "papersize", "paperspecs", "gitconfig", "crypto-policies"],
  ...["ssl/certs", "ssl/openssl.cnf", "ssl/cert.pem", "pki/tls/certs", "pki/tls/cert.pem", "pki/ca-trust"],
  ...["ca-certificates", "ca-certificates.conf", "texmf", "libreoffice", "ghostscript", "sgml", "xml"],
]);
const CONFIGURATION_OF_LANGUAGES = /^(java|python|perl|php|ruby|R|ImageMagick)(-?\d|$)/;

/** Of the whole machine, also in a pid namespace. A file of root's is root's inside, too, whoever root is there. */
const MACHINE_SETTINGS = [
  "sys",
  "sysrq-trigger",
  "bus",
  "fs",
  "irq",
  "driver",
  "tty",
  "acpi",
  "scsi",
  "asound",
];
const MORE_MACHINE_SETTINGS = ["dynamic_debug", "mtrr", "pressure"];
const MACHINE_SECRETS = ["kcore", "kmsg", "keys", "key-users", "timer_list", "sched_debug", "latency_stats"];

/** The system as commands need it: programs, libraries and what those read below `/etc`. */
export function listSystem(network: boolean): Mount[] {
  return [
    ...SYSTEM_FOLDERS.flatMap(toSystemFolder),
    ...MORE_FOLDERS.filter(existsSync).map((path): Mount => ({ kind: "read", path })),
    ...[...MACHINE_SETTINGS, ...MORE_MACHINE_SETTINGS].flatMap((name) => toMachineFile(name, "read")),
    ...MACHINE_SECRETS.flatMap((name) => toMachineFile(name, "masked-file")),
    ...listConfiguration(network),
  ];
}

function toSystemFolder(path: string): Mount[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isSymbolicLink()) return [{ kind: "link", path, target: readlinkSync(path) }];
  return [{ kind: "read", path }];
}

function toMachineFile(name: string, kind: "read" | "masked-file"): Mount[] {
  const path = join("/proc", name);
  return existsSync(path) ? [{ kind, path }] : [];
}

/** A file of `/etc` that is a link is shown as what it leads to. */
function listConfiguration(network: boolean): Mount[] {
  const languages = list("/etc").filter((name) => CONFIGURATION_OF_LANGUAGES.test(name));
  const names = [...CONFIGURATION, ...languages, ...(network ? ["resolv.conf"] : [])];
  return names
    .map((name) => join("/etc", name))
    .filter(existsSync)
    .map((path): Mount => ({ kind: "read", path, from: realpathSync(path) }));
}

function list(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
