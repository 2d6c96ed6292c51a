import { describe, expect, it } from "vitest";
import { findPrivateRange, isPrivateName } from "../../../src/tools/web-fetch/private-address.ts";

describe("findPrivateRange", () => {
  it.each([
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["10.0.0.1", "private"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.168.1.1", "private"],
    ["100.64.0.1", "carrierGradeNat"],
    ["169.254.169.254", "linkLocal"],
    ["192.0.0.170", "reserved"],
    ["192.0.2.1", "reserved"],
    ["198.18.0.1", "reserved"],
    ["198.51.100.7", "reserved"],
    ["203.0.113.7", "reserved"],
    ["224.0.0.1", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "broadcast"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:a9fe:a9fe", "linkLocal"],
    ["::127.0.0.1", "reserved"],
    ["::1.1.1.1", "reserved"],
    ["::7f00:1", "reserved"],
    ["::ffff:0:127.0.0.1", "rfc6145"],
    ["64:ff9b::127.0.0.1", "loopback"],
    ["64:ff9b::a9fe:a9fe", "linkLocal"],
    ["64:ff9b:1::808:808", "rfc6052"],
    ["2002:7f00:1::", "6to4"],
    ["2002:808:808::1", "6to4"],
    ["2001:0:808:808::1", "teredo"],
    ["fe80::1", "linkLocal"],
    ["fe80::1%eth0", "linkLocal"],
    ["fec0::1", "deprecatedSiteLocal"],
    ["fc00::1", "uniqueLocal"],
    ["fd12:3456::1", "uniqueLocal"],
    ["ff02::1", "multicast"],
    ["100::1", "discard"],
    ["2001:db8::1", "reserved"],
    ["3fff::1", "reserved"],
    ["4000::1", "reserved"],
    ["no address", "unknown"],
    ["", "unknown"],
  ])("%s is not public: %s", async (address, range) => {
    expect(await findPrivateRange(address)).toBe(range);
  });

  it.each([
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "93.184.215.14",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "198.17.255.255",
    "223.255.255.255",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
    "2606:4700:4700::1111",
    "2a00:1450:4001:830::200e",
  ])("%s is public", async (address) => {
    expect(await findPrivateRange(address)).toBeUndefined();
  });
});

describe("isPrivateName", () => {
  it.each([
    ...["localhost", "a.localhost", "metadata.google.internal", "metadata", "metadata.goog"],
    ...["printer.local", "nas.home.arpa", "instance-data", "host.docker.internal"],
  ])("%s is a private name", (name) => {
    expect(isPrivateName(name)).toBe(true);
  });

  it.each(["example.com", "localhost.com", "notlocalhost", "local.com", "internal.example.org"])(
    "%s is not",
    (name) => {
      expect(isPrivateName(name)).toBe(false);
    },
  );
});
