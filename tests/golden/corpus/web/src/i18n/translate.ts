const MESSAGES: Record<string, Record<string, string>> = {
  en: { loading: "Loading …", parcels: "{count} parcels" },
  de: { loading: "Lädt …", parcels: "{count} Pakete" },
};

/** Find a message in the user's language, fall back to English, and fill in the values. */
export function translate(key: string, language: string, values: Record<string, unknown> = {}): string {
  const message = MESSAGES[language]?.[key] ?? MESSAGES["en"][key] ?? key;
  return message.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
