/** Write an amount of cents as money: 123456 becomes "1,234.56". */
export function formatMoney(cents: number, locale = "en", currency = "EUR"): string {
  return new Intl.NumberFormat(locale, { style: "currency", currency }).format(cents / 100);
}

/** Read money that a person typed; null when it is no amount. */
export function parseMoney(text: string): number | null {
  const match = /^\s*(\d+)(?:[.,](\d{1,2}))?\s*$/.exec(text);
  if (!match) {
    return null;
  }
  return Number(match[1]) * 100 + Number((match[2] ?? "0").padEnd(2, "0"));
}
