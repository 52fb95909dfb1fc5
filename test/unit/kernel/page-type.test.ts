import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPage, isReadable, pageKindOf } from "../../../src/kernel/page-type.ts";
import { sniffKind } from "../../../src/kernel/sniff-kind.ts";

describe("declared types", () => {
  it.each([
    ["text/html; charset=utf-8", "html"],
    ["APPLICATION/XHTML+XML", "html"],
    ["text/plain", "text"],
    ["text/markdown", "text"],
    ["application/ld+json", "json"],
    ["application/xml", "xml"],
    ["application/x-thing+xml", "xml"],
    ["application/atom+xml;type=feed", "feed"],
    ["application/pdf", "pdf"],
    ["image/webp", "image"],
    ["image/svg+xml", "image"],
    ["text/css", "other"],
    ["application/octet-stream", "other"],
    ["video/mp4", "other"],
    [undefined, "unknown"],
    ["", "unknown"],
    ["html", "unknown"],
    ["*/*", "unknown"],
  ])("%j is %s", (field, kind) => {
    expect(pageKindOf(field)).toBe(kind);
  });

  it("pages are HTML, text, JSON and XML; images and the like are not even read", () => {
    expect((["html", "text", "json", "xml", "feed", "unknown"] as const).every(isReadable)).toBe(true);
    expect((["pdf", "image", "other"] as const).some(isReadable)).toBe(false);
    expect((["feed", "unknown", "pdf", "image", "other"] as const).some(isPage)).toBe(false);
  });
});

describe("sniffing", () => {
  const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
  it.each([
    ["", "empty"],
    ["\n <!DOCTYPE html>", "html"],
    ["<p>x", "html"],
    ["<paragraph>", "text"],
    ["<!-- a --><div>", "html"],
    ["\xef\xbb\xbf<html>", "html"],
    ["\xff\xfe<\0b\0o\0d\0y\0>\0", "html"],
    ['<?xml version="1.0"?><!-- a --><html xmlns="x">', "html"],
    ['<?xml version="1.0"?><rss version="2.0">', "feed"],
    ["<feed >", "feed"],
    ["<!DOCTYPE rdf [<!ENTITY a 'b'>]><rdf:RDF xmlns:rdf='x'>", "feed"],
    ["<urlset>", "xml"],
    ["<?xml version='1.0'?><catalog>", "xml"],
    ['{"a":1}', "json"],
    ["[1]", "json"],
    ["[note] x", "text"],
    ["plain", "text"],
    ["\xfc\xe9", "text"],
    ["a\0b", "binary"],
    ["%PDF-1.7", "pdf"],
    ["\x1f\x8b\x08", "gzip"],
    ["\x89PNG\r\n\x1a\n", "image"],
  ])("%j is %s", (text, kind) => {
    expect(sniffKind(latin1(text))).toBe(kind);
  });

  it("gives an answer for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (body) => {
        expect(typeof sniffKind(body)).toBe("string");
      }),
    );
  });
});
