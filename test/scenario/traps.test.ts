import { expect, test } from "vitest";
import { page, pathOf, World } from "./world.ts";

test("a maze of new pages without end, and session ids, do not starve the real pages of their host", async () => {
  let made = 0;
  const word = () => `w${((made += 1)).toString(36)}q`;
  const world = await World.open({
    seeds: "https://a.example/",
    config: { maxPages: 600 },
    answer: ({ url }) => {
      const path = pathOf(url);
      const real = /^\/real\/(\d+)$/.exec(path);
      if (path === "/") return page("home", ["/maze/a", "/shop?sid=0", "/real/1"]);
      if (real !== null) return page(`real ${real[1]}`, Number(real[1]) < 12 ? [`/real/${Number(real[1]) + 1}`] : []);
      if (path.startsWith("/shop")) return page("shop", [`/shop?sid=${word()}`, `/shop?sid=${word()}`, `/shop?sid=${word()}`]);
      return page(
        `maze ${path}`,
        Array.from({ length: 12 }, () => `/maze/${word()}/${word()}`),
      );
    },
  });
  await world.finish();
  const asked = world.starts.map(({ url }) => new URL(url).pathname).filter((path) => path.startsWith("/real/"));
  expect(asked).toHaveLength(12);
});

test("a calendar that leads from month to month for ever, each with its own text, ends", async () => {
  const world = await World.open({
    seeds: "https://a.example/",
    answer: ({ url }) => {
      const { pathname, searchParams } = new URL(url);
      if (pathname === "/") return page("home", ["/cal?y=2026&m=1"]);
      const [y, m] = [Number(searchParams.get("y")), Number(searchParams.get("m"))];
      return page(`Calendar of ${y}, ${m}`, [m === 12 ? `/cal?y=${y + 1}&m=1` : `/cal?y=${y}&m=${m + 1}`]);
    },
  });
  const { pages, skipped } = await world.finish();
  expect(pages).toBe(1 + 6 * 12);
  expect(skipped).toEqual({ trap: 1 });
});
