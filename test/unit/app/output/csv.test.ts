import fc from "fast-check";
import { expect, test } from "vitest";
import { csvFormat } from "../../../../src/app/output/csv.ts";
import { settledUrl } from "./settled-url.fixture.ts";

/** A plain RFC 4180 reader, to read back what was written. */
function read(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const at = text[i];
    if (quoted && at === '"' && text[i + 1] === '"') cell += text[++i];
    else if (at === '"') quoted = !quoted;
    else if (!quoted && at === ",") {
      row.push(cell);
      cell = "";
    } else if (!quoted && at === "\r" && text[i + 1] === "\n") {
      rows.push([...row, cell]);
      row = [];
      cell = "";
      i++;
    } else cell += at;
  }
  return rows;
}

test("the header names the fields and a row has their values", () => {
  const format = csvFormat(["seq", "url", "title", "status"]);
  expect(format.header).toBe("seq,url,title,status\r\n");
  expect(format.line(settledUrl({ seq: 7, title: 'a "b", c', status: 200 }))).toBe('7,https://example.com/,"a ""b"", c",200\r\n');
});

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])("a title %j can't run as a formula", (title) => {
  const [[cell]] = read(csvFormat(["title"]).line(settledUrl({ title })));
  expect(cell).toBe(`'${title}`);
});

test("numbers stay numbers, nothing is empty, nested values are JSON", () => {
  const line = csvFormat(["ms", "title", "marks", "robots"]).line(
    settledUrl({ ms: -1, title: null, marks: ["thin"], robots: { index: true, follow: false } }),
  );
  expect(read(line)).toEqual([["-1", "", '["thin"]', '{"index":true,"follow":false}']]);
});

test("any text reads back as one cell, apart from the guard", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (title) => {
      const rows = read(csvFormat(["title", "seq"]).line(settledUrl({ title, seq: 3 })));
      expect(rows).toHaveLength(1);
      expect(rows[0][0].replace(/^'(?=[=+\-@\t\r\n])/, "")).toBe(title);
      expect(rows[0][1]).toBe("3");
    }),
  );
});
