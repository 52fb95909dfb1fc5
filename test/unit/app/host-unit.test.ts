import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { unitRule, withHostUnit } from "../../../src/app/host-unit.ts";
import { loadSettings } from "../../../src/app/load-settings.ts";
import { resolveSettings } from "../../../src/config/resolve.ts";

const keys = (setting: Parameters<typeof unitRule>[0], authorities: readonly string[]): unknown[] => {
  const rule = unitRule(setting);
  return authorities.map((authority) => (rule?.by === "key" ? rule.of(authority) : rule?.by));
};

test("by domain hosts of one registrable domain are one; those that have none are by themselves", () => {
  const given = ["a.shop.example.co.uk", "example.co.uk:8443", "x.github.io", "y.github.io", "192.0.2.1:81", "[2001:db8::1]", "localhost"];
  expect(keys("domain", given)).toEqual(["example.co.uk", "example.co.uk", "x.github.io", "y.github.io", ...given.slice(4)]);
  expect([keys("ip", ["a.test"]), keys("authority", ["a.test"])]).toEqual([["address"], [undefined]]);
});

test("a function gets the root of each host; what it cannot say leaves the host by itself", () => {
  const unit = (url: URL): string => {
    if (url.hostname === "throws.test") throw new Error("no");
    return url.hostname === "nothing.test" ? "" : `${url.protocol}${url.port}${url.pathname}`;
  };
  expect(keys(unit, ["a.test", "b.test:81", "throws.test", "nothing.test"])).toEqual([
    "https:/",
    "https:81/",
    "throws.test",
    "nothing.test",
  ]);
});

test("file#export is found beside the configuration file, and what is wrong with it is one problem", async () => {
  const folder = await mkdtemp(join(tmpdir(), "weir-unit-"));
  try {
    const library = resolve("src/config/define-config.ts");
    await writeFile(join(folder, "unit.ts"), "export const unitOf = (url: URL): string => url.host.slice(-6);\nexport const text = 1;");
    await writeFile(join(folder, "weir.config.json"), JSON.stringify({ hosts: { unit: "./unit.ts#unitOf" } }));
    const loaded = await loadSettings({
      cwd: tmpdir(),
      configFile: join(folder, "weir.config.json"),
      options: { seeds: "https://a.test/" },
    });
    expect(loaded.settings.hosts.unit).toBe(`${join(folder, "unit.ts")}#unitOf`);
    expect(keys((await withHostUnit(loaded.settings, library)).hosts.unit, ["a.b.test"])).toEqual([".test"].map((end) => `b${end}`));
    for (const name of ["text", "gone"]) {
      const { settings } = resolveSettings({ version: "0", options: { hosts: { unit: `${join(folder, "unit.ts")}#${name}` } } });
      await expect(withHostUnit(settings, library)).rejects.toMatchObject({
        code: "WEIR_CONFIG_INVALID",
        problems: [{ path: "hosts.unit" }],
      });
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
