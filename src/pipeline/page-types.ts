import type { ConfigProblem } from "../kernel/errors.ts";
import { type PageRule, PLAIN_TYPE } from "../kernel/page-rule.ts";
import { parsePatterns, type UrlPattern } from "../stages/frontier/url-pattern.ts";
import { fieldProblems } from "../stages/parse/extract-fields.ts";

/** One page type, ready to be asked. */
export interface PageType {
  readonly name: string;
  /** Position in the configuration. */
  readonly rule: number;
  readonly extracts: boolean;
  /** Records of one version are comparable. */
  readonly version: string;
}

/** Which type a URL has: the first whose pattern matches. */
export class PageTypes {
  readonly #types: readonly { readonly type: PageType; readonly patterns: readonly UrlPattern[] }[];

  private constructor(types: readonly { readonly type: PageType; readonly patterns: readonly UrlPattern[] }[]) {
    this.#types = types;
  }

  /** @param versions of the rules' extractors, in their order. @returns every problem with patterns, selectors and paths. */
  static async open(rules: readonly PageRule[], versions: readonly string[]): Promise<PageTypes | readonly ConfigProblem[]> {
    const problems: ConfigProblem[] = [];
    const types = [];
    for (const [index, rule] of rules.entries()) {
      const { patterns, problems: wrong } = await parsePatterns(rule.match, `pages[${index}].match`);
      problems.push(...wrong);
      if (rule.extract?.kind === "fields") problems.push(...fieldProblems(rule.extract.fields, `pages[${index}].extract`));
      types.push({ type: { name: rule.type, rule: index, extracts: rule.extract !== null, version: versions[index] ?? "" }, patterns });
    }
    return problems.length > 0 ? problems : new PageTypes(types);
  }

  /** @param url canonical. @returns null for a plain page. */
  of(url: string): PageType | null {
    for (const { type, patterns } of this.#types) for (const pattern of patterns) if (pattern.matches(url)) return type;
    return null;
  }

  nameOf(url: string): string {
    return this.of(url)?.name ?? PLAIN_TYPE;
  }
}
