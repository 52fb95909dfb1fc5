/**
 * What `<meta name="robots">` asks of a crawler.
 */

/** One such element: whom it addresses (`robots` for all, or this crawler's own name) and its raw content. */
export interface MetaRobots {
  readonly name: "robots" | "weir";
  readonly content: string;
}

export interface RobotsDirectives {
  /** The page is not to be kept. */
  readonly noindex: boolean;
  /** Its links are not to be followed. */
  readonly nofollow: boolean;
}

/** The union of all directives of all elements: the strictest wins, also between `robots` and the crawler's own name. */
export function robotsDirectives(metas: readonly MetaRobots[]): RobotsDirectives {
  let noindex = false;
  let nofollow = false;
  for (const meta of metas) {
    for (const word of meta.content.toLowerCase().split(/[\s,]+/)) {
      noindex ||= word === "noindex" || word === "none";
      nofollow ||= word === "nofollow" || word === "none";
    }
  }
  return { noindex, nofollow };
}
