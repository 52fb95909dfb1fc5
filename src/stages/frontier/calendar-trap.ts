/** A calendar is followed this many years beyond the present, and back to this year. Source: guess. */
const YEARS_AHEAD = 5;
const YEAR_FIRST = 1500;
/** Larger numbers are no years. A calendar gets there only through years that are refused. */
const YEAR_LAST = 2199;

/** Most URLs have none, and are asked nothing else. */
const ANY_YEAR = /[12][0-9]{3}/;
const YEAR_MONTH = "(1[0-9]{3}|2[01][0-9]{2})-(?:0?[1-9]|1[0-2])(?:-(?:0?[1-9]|[12][0-9]|3[01]))?(?![0-9-])";
/** `/2031-05`, `?month=2031-05-17`. */
const DASHED = new RegExp(`[/=]${YEAR_MONTH}`);
/** `/2031/05/17`; without a day only behind a word for such pages, for `/2051/3` may be page 3 of topic 2051. */
const SLASHED = /\/(1[0-9]{3}|2[01][0-9]{2})\/(?:0?[1-9]|1[0-2])\/(?:0?[1-9]|[12][0-9]|3[01])(?:[/?]|$)/;
const NAMED_SLASHED =
  /(?:cal|event|kalend|agenda|archive|month)[^/]*\/(?:[^0-9][^/]*\/)?(1[0-9]{3}|2[01][0-9]{2})\/(?:0?[1-9]|1[0-2])(?:[/?]|$)/i;
/** `?year=2031&month=5` in any order. */
const YEAR_PARAMETER = /[?&](?:y|yr|year|cal_?year|jahr|annee|anno|ano)=(1[0-9]{3}|2[01][0-9]{2})(?:&|$)/i;
const MONTH_PARAMETER = /[?&](?:m|mo|mon|month|cal_?month|monat|mois|mese|mes)=(?:0?[1-9]|1[0-2])(?:&|$)/i;

/**
 * Does the URL name a month that no calendar has entries for? Ends calendars that lead from month to month for ever though each of
 * their pages reads differently. Only full dates count, and years with their months: a number alone may be anything.
 */
export function isFarDate(url: string, thisYear: number): boolean {
  if (!ANY_YEAR.test(url)) return false;
  const year = Number(yearOf(url) ?? thisYear);
  return year <= YEAR_LAST && (year > thisYear + YEARS_AHEAD || year < YEAR_FIRST);
}

function yearOf(url: string): string | undefined {
  const written = DASHED.exec(url) ?? SLASHED.exec(url) ?? NAMED_SLASHED.exec(url);
  if (written !== null) return written[1];
  return MONTH_PARAMETER.test(url) ? YEAR_PARAMETER.exec(url)?.[1] : undefined;
}
