import type { Fingerprinter } from "../kernel/fingerprint.ts";
import type { LinkResolver } from "../kernel/link-resolver.ts";
import type { Frontier } from "../stages/frontier/frontier.ts";
import { PageParser } from "../stages/parse/page-parser.ts";
import type { ContentIndex } from "../stages/store/content-index.ts";
import type { Errand } from "./errand.ts";
import { PageLinks } from "./page-links.ts";
import { Pages, type PagesDeps } from "./pages.ts";
import type { ParseBoundary } from "./parse-boundary.ts";
import type { PipelineDeps, PipelineOptions } from "./pipeline-deps.ts";
import type { Providers } from "./providers.ts";
import type { Visits } from "./visits.ts";

interface PagesParts extends Pick<PagesDeps, "content" | "needsWorker" | "onArchiveTrouble" | "onBroken" | "onLetGo"> {
  readonly frontier: Frontier;
  readonly resolver: LinkResolver;
  readonly fingerprinter: Fingerprinter;
  readonly content: ContentIndex;
  readonly visits: Visits;
  readonly parse: ParseBoundary;
  readonly providers: Providers;
  readonly release: (errand: Errand) => void;
  /** A page has ended its parser too often. */
  readonly onGivenUp: (errand: Errand, message: string) => void;
}

/** Wires the way from a complete body to a settled URL. */
export function newPages(deps: PipelineDeps, options: PipelineOptions, parts: PagesParts): Pages {
  const { clock, blobs, hashBody, inflate, admission, lane } = deps;
  const { wants, sitemaps, productToken } = options;
  const { frontier, resolver, fingerprinter, visits, parse, providers, release, onGivenUp, ...others } = parts;
  const parser = new PageParser({ resolver, inflate, agent: productToken, isKnownHost: (host) => frontier.knowsHost(host) });
  const followLists = sitemaps !== "off";
  return new Pages({
    ...others,
    clock,
    parser,
    links: new PageLinks({ frontier, parser, resolver, fingerprinter, followLists }),
    lane,
    gauges: parse.bounds,
    sentAway: (errand, bytes) => {
      if (errand.held !== null) parse.admission.sentAway(errand.host, errand.held, bytes);
    },
    refuseTooLong: () => frontier.refuseTooLong(),
    blobs,
    hashBody,
    wants,
    settle: (visit, errand, result, ending) => {
      visits.cookies.takeLast(visit, errand, result);
      visits.settle(visit, errand, result, ending);
    },
    noteContent: (url, isNew) => admission.noteContent(url, isNew),
    release: (errand, result) => {
      providers.of(errand.host).spec.route.releaseBody(result.body);
      release(errand);
    },
    giveBack: (visit) => visits.giveBack(visit),
    onCrashed: (errand, visit, result, message) => {
      if (!visits.crashed(errand, visit, result, message)) onGivenUp(errand, message);
    },
  });
}
