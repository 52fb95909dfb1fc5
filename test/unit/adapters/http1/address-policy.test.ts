import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AddressPolicy, isPublicAddress } from "../../../../src/adapters/http1/address-policy.ts";

describe("an address is public", () => {
  test.each(["93.184.215.14", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450:4001::64"])(
    "%s",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test.each(["::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"])("when the IPv4 address in it is: %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("an address is not public", () => {
  test.each([
    ["0.0.0.0", "this host"],
    ["0.1.2.3", "this network"],
    ["10.0.0.1", "private"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.168.1.1", "private"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["169.254.169.254", "the clouds' metadata"],
    ["100.64.0.1", "shared by a carrier"],
    ["100.127.255.255", "shared by a carrier"],
    ["192.0.0.1", "protocol assignments"],
    ["192.0.2.1", "documentation"],
    ["198.51.100.1", "documentation"],
    ["203.0.113.1", "documentation"],
    ["198.18.0.1", "benchmarks"],
    ["198.19.255.255", "benchmarks"],
    ["224.0.0.1", "multicast"],
    ["239.255.255.255", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "broadcast"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::127.0.0.1", "IPv4-compatible"],
    ["::ffff:127.0.0.1", "IPv4-mapped loopback"],
    ["::ffff:10.0.0.1", "IPv4-mapped private"],
    ["::ffff:a9fe:a9fe", "IPv4-mapped metadata"],
    ["::ffff:0:127.0.0.1", "IPv4-translated loopback"],
    ["64:ff9b::127.0.0.1", "NAT64 of loopback"],
    ["64:ff9b::a00:1", "NAT64 of private"],
    ["64:ff9b:1::1", "local NAT64"],
    ["2002:7f00:1::", "6to4 of loopback"],
    ["2002:c0a8:101::1", "6to4 of private"],
    ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"],
    ["2001:db8::1", "documentation"],
    ["100::1", "discard"],
    ["fc00::1", "unique local"],
    ["fd12:3456::1", "unique local"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local with a zone"],
    ["fec0::1", "site-local"],
    ["ff02::1", "multicast"],
    ["4000::1", "not assigned"],
    ["example.com", "no address"],
    ["", "no address"],
    ["127.1", "no canonical address"],
  ])("%s: %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test("when it is an IPv4 address wrapped in IPv6, whatever the wrapping", () => {
    const refused = fc.oneof(
      fc.tuple(fc.constant(10), fc.nat(255), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(127), fc.nat(255), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(169), fc.constant(254), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(192), fc.constant(168), fc.nat(255), fc.nat(255)),
    );
    fc.assert(
      fc.property(refused, ([a, b, c, d]) => {
        const dotted = `${a}.${b}.${c}.${d}`;
        const pair = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        return [dotted, `::ffff:${dotted}`, `::ffff:${pair}`, `64:ff9b::${pair}`, `2002:${pair}::1`, `::${pair}`].every(
          (form) => !isPublicAddress(form),
        );
      }),
    );
  });
});

describe("an allowed address", () => {
  const policy = (...allowAddresses: string[]): AddressPolicy => new AddressPolicy({ allowPrivate: false, allowAddresses });

  test("is permitted on the port named, or on any when none is", () => {
    expect(policy("127.0.0.1:8080").permits("127.0.0.1", "127.0.0.1", 8080)).toBe(true);
    expect(policy("127.0.0.1:8080").permits("127.0.0.1", "127.0.0.1", 80)).toBe(false);
    expect(policy("127.0.0.1").permits("127.0.0.1", "127.0.0.1", 80)).toBe(true);
    expect(policy("127.0.0.1").permits("127.0.0.2", "127.0.0.2", 80)).toBe(false);
  });

  test("may be a name, which then permits what it resolves to", () => {
    expect(policy("Intranet.test").permits("10.0.0.1", "intranet.test", 443)).toBe(true);
    expect(policy("intranet.test:443").permits("10.0.0.1", "intranet.test", 80)).toBe(false);
    expect(policy("intranet.test").permits("10.0.0.1", "other.test", 443)).toBe(false);
  });

  test("may be IPv6, in any spelling", () => {
    expect(policy("[::1]:80").permits("::1", "::1", 80)).toBe(true);
    expect(policy("[::1]:80").permits("::1", "::1", 81)).toBe(false);
    expect(policy("0:0:0:0:0:0:0:1").permits("::1", "::1", 81)).toBe(true);
  });

  test("takes nothing from what is public", () => {
    expect(policy("127.0.0.1").permits("1.1.1.1", "one.test", 443)).toBe(true);
  });
});
