// Numbers in words, the same everywhere on the page.

const grouped = new Intl.NumberFormat("en-GB");

export function count(value: number | string): string {
  return typeof value === "number" ? grouped.format(value) : value.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** "1 step", "3 steps". */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let rest = value;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${unit === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${units[unit] ?? ""}`;
}

export function seconds(value: number): string {
  if (value < 0.001) return "under 1 ms";
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  if (value < 60) return `${value.toFixed(1)} s`;
  const whole = Math.round(value);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A large number in few characters, for axes and margins: "1.2 M". */
export function short_count(value: number): string {
  for (const [limit, unit] of [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
  ] as const)
    if (Math.abs(value) >= limit) return `${Number((value / limit).toPrecision(3))} ${unit}`;
  if (Math.abs(value) >= 1e4) return `${Number((value / 1e3).toPrecision(3))} k`;
  return grouped.format(value);
}
