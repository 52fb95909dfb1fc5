import { describe, expect, test } from "vitest";
import { connectFailure, exchangeFailure, tlsFailure } from "../../../../src/adapters/http1/failure.ts";
import { LostError, ProtocolError } from "../../../../src/adapters/http1/protocol-error.ts";

const error = (code: string, message = code): Error => Object.assign(new Error(message), { code });
const short = ({ code, phase }: { code: string; phase: string }): string => `${code} ${phase}`;

describe("a connection that cannot be made", () => {
  test.each([
    ["ECONNREFUSED", "192.0.2.1", "connect connect"],
    ["EHOSTUNREACH", "192.0.2.1", "connect connect"],
    ["ETIMEDOUT", "192.0.2.1", "timeout connect"],
    ["EMFILE", "192.0.2.1", "connect local"],
    ["ENFILE", "192.0.2.1", "connect local"],
    ["EADDRNOTAVAIL", "192.0.2.1", "connect local"],
    ["ENETDOWN", "192.0.2.1", "connect local"],
    ["ENETUNREACH", "192.0.2.1", "connect local"],
    // A host with nothing but IPv6, seen from a machine without: no reason to slow all others down.
    ["ENETUNREACH", "2001:db8::1", "connect connect"],
  ])("for %s at %s is %s", (code, address, expected) => {
    expect(short(connectFailure(error(code), address))).toBe(expected);
  });
});

describe("a TLS handshake that fails", () => {
  test.each([
    ["ECONNRESET", "connect tls"],
    ["EPROTO", "tls tls"],
    ["CERT_HAS_EXPIRED", "tls tls"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls tls"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls tls"],
  ])("for %s is %s", (code, expected) => {
    expect(short(tlsFailure(error(code), "a.test"))).toBe(expected);
  });

  test("against a port that speaks plain HTTP says what may be meant, and no line of OpenSSL's source", () => {
    const text = "80AC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/record.c:350:\n";
    expect(tlsFailure(error("ERR_SSL_WRONG_VERSION_NUMBER", text), "a.test").message).toBe(
      "a.test does not speak TLS on this port; perhaps http:// is meant",
    );
    const alert = Object.assign(error("ERR_SSL_TLSV1_ALERT", "80AC:error:alert:../deps/record.c:1:\n"), { reason: "tlsv1 alert" });
    expect(tlsFailure(alert, "a.test").message).toBe("TLS failed: tlsv1 alert (ERR_SSL_TLSV1_ALERT)");
  });

  test("for another name says so", () => {
    expect(tlsFailure(error("ERR_TLS_CERT_ALTNAME_INVALID"), "a.test").message).toContain(
      "TLS name mismatch: the certificate is not for a.test",
    );
  });
});

describe("an exchange that fails", () => {
  test.each([
    ["none", error("ECONNRESET"), "connect headers"],
    ["none", new LostError("the other side closed the connection"), "connect headers"],
    ["headers", new LostError("the other side closed the connection"), "incomplete headers"],
    ["headers", new ProtocolError("no header"), "protocol headers"],
    ["body", error("ECONNRESET"), "incomplete body"],
    ["body", new LostError("the other side closed the connection"), "incomplete body"],
    ["body", new ProtocolError("no size of a chunk"), "protocol body"],
    ["none", error("ENOBUFS"), "connect local"],
  ] as const)("after %s with %s is %s", (progress, cause, expected) => {
    expect(short(exchangeFailure(cause, progress))).toBe(expected);
  });
});
