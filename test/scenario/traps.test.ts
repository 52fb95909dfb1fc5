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
