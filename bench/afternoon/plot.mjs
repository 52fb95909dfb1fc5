// Draws an afternoon: goodput by group of hosts, limits, depth and age of the queues, memory; one column a crawler, one row a quantity.
const WIDTH = 620;
const HEIGHT = 120;
const LEFT = 60;
const GAP = 34;
const COLOURS = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910"];

const escaped = (text) => String(text).replace(/[<&]/g, (c) => (c === "<" ? "&lt;" : "&amp;"));

/** Change a second of a running count, over five samples. */
function rateOf(samples, count) {
  return samples.map((sample, i) => {
    const before = samples[Math.max(0, i - 5)];
    return [sample.t, sample.t > before.t ? (count(sample) - count(before)) / (sample.t - before.t) : 0];
  });
}

const levelOf = (samples, value) => samples.map((sample) => [sample.t, value(sample)]).filter(([, v]) => Number.isFinite(v));

function rowsOf({ samples }, groups) {
  const sum = (hosts) => (sample) => hosts.reduce((total, host) => total + sample.served[host], 0);
  const limit = (hosts) => (sample) => {
    const limits = Object.entries(sample.limits ?? {}).filter(([key]) => hosts.includes(Number(key.split(":")[0].split(".")[3]) - 1));
    return limits.length === 0 ? Number.NaN : limits.reduce((total, [, value]) => total + value, 0) / limits.length;
  };
  const stage = (index, of) => (sample) => (sample.stages?.[index] === undefined ? Number.NaN : of(sample.stages[index]));
  const named = Object.entries(groups);
  return [
    { title: "goodput, pages/s", lines: named.map(([name, hosts]) => [name, rateOf(samples, sum(hosts))]) },
    { title: "limit of a host, mean", lines: named.map(([name, hosts]) => [name, levelOf(samples, limit(hosts))]) },
    {
      title: "queues, share of their bounds",
      lines: [
        [
          "parse, heavy pages: bytes",
          levelOf(
            samples,
            stage(1, (s) => s.bytes / s.bound.bytes),
          ),
        ],
        [
          "storage: rows",
          levelOf(
            samples,
            stage(2, (s) => s.items / s.bound.items),
          ),
        ],
      ],
    },
    {
      title: "age of the oldest, s",
      lines: [
        [
          "parse, heavy pages",
          levelOf(
            samples,
            stage(1, (s) => s.oldestAge / 1000),
          ),
        ],
        [
          "storage",
          levelOf(
            samples,
            stage(2, (s) => s.oldestAge / 1000),
          ),
        ],
      ],
    },
    {
      title: "bound of the heavy pages, items",
      lines: [
        [
          "learnt",
          levelOf(
            samples,
            stage(1, (s) => s.bound.items),
          ),
        ],
      ],
    },
    { title: "resident memory, MB", lines: [["rss", levelOf(samples, (s) => s.rss / 1e6)]] },
  ];
}

function panel({ title, lines }, phases, top, left, end, most) {
  const x = (t) => left + LEFT + (t / end) * WIDTH;
  const y = (value) => top + HEIGHT - (Math.min(value, most) / most) * HEIGHT;
  const bands = phases
    .filter((phase) => phase.order && /pages|stalls|refuses/.test(phase.name))
    .map(
      ({ from, to, name }) =>
        `<rect x="${x(from)}" y="${top}" width="${x(to) - x(from)}" height="${HEIGHT}" fill="#f4e3c1"/><text x="${x(from) + 3}" y="${top + 11}" font-size="9" fill="#7a5c1e">${escaped(name)}</text>`,
    );
  const paths = lines.map(([, points], i) => {
    const d = points.map(([t, value], k) => `${k === 0 ? "M" : "L"}${x(t).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    return `<path d="${d}" fill="none" stroke="${COLOURS[i]}" stroke-width="1.3"/>`;
  });
  const keys = lines.map(([name], i) => `<tspan fill="${COLOURS[i]}" dx="${i === 0 ? 8 : 10}">${escaped(name)}</tspan>`);
  const axis = [0, 0.5, 1].map(
    (part) =>
      `<text x="${left + LEFT - 5}" y="${y(part * most) + 3}" font-size="9" text-anchor="end">${+(part * most).toPrecision(3)}</text>`,
  );
  return `${bands.join("")}<rect x="${left + LEFT}" y="${top}" width="${WIDTH}" height="${HEIGHT}" fill="none" stroke="#999"/>${paths.join("")}${axis.join("")}<text x="${left + LEFT}" y="${top - 4}" font-size="11" font-weight="bold">${escaped(title)}<tspan font-weight="normal" font-size="9">${keys.join("")}</tspan></text>`;
}

/** @returns an SVG as text. */
export function drawAfternoon(runs, { heavy, refusing, hosts }) {
  const others = Array.from({ length: hosts }, (_, i) => i).filter((i) => !heavy.includes(i) && !refusing.includes(i));
  const groups = { "the others": others, "those that refuse": refusing, "the heavy one": heavy };
  const columns = runs.map((run) => rowsOf(run, groups));
  const end = Math.max(...runs.map(({ phases }) => phases.at(-1).to));
  const rows = columns[0].map((_, row) =>
    Math.max(1e-9, ...columns.flatMap((column) => column[row].lines.flatMap(([, points]) => points.map(([, v]) => v)))),
  );
  const width = runs.length * (WIDTH + LEFT + 20);
  const height = 40 + rows.length * (HEIGHT + GAP) + 20;
  const body = runs.flatMap(({ name, phases }, column) => {
    const left = column * (WIDTH + LEFT + 20);
    const heading = `<text x="${left + LEFT}" y="18" font-size="14" font-weight="bold">${escaped(name)}</text>`;
    const ticks = Array.from(
      { length: Math.floor(end / 60) + 1 },
      (_, minute) =>
        `<text x="${left + LEFT + ((minute * 60) / end) * WIDTH}" y="${height - 8}" font-size="9" text-anchor="middle">${minute} min</text>`,
    );
    return [heading, ...columns[column].map((row, i) => panel(row, phases, 44 + i * (HEIGHT + GAP), left, end, rows[i] * 1.05)), ...ticks];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif"><rect width="100%" height="100%" fill="white"/>${body.join("\n")}</svg>\n`;
}
