/**
 * Light or dark: the system's choice, until the reader selects another one, or the page is printed. The style sheet has
 * the dark colours once, for those who prefer them; another choice changes for whom that rule is.
 */

const PREFERS_DARK = "(prefers-color-scheme: dark)";

/** The rule's media for a choice. */
const MEDIA = { dark: "all", light: "not all", system: PREFERS_DARK };

/** What the reader chose. */
export type Theme = keyof typeof MEDIA;

let chosen: Theme = "system";
let rule: CSSMediaRule | undefined;

/** The choice in force. */
export function theme(): Theme {
  return chosen;
}

/** Chooses. */
export function setTheme(theme: Theme): void {
  chosen = theme;
  rule ??= darkRule();
  if (rule !== undefined) rule.media.mediaText = MEDIA[theme];
}

/** Are the dark colours shown? */
export function isDark(): boolean {
  return chosen === "dark" || chosen === "system" && matchMedia(PREFERS_DARK).matches;
}

/** Calls when the system's choice changes. */
export function onSystemTheme(call: () => void): void {
  matchMedia(PREFERS_DARK).addEventListener("change", call);
}

function darkRule(): CSSMediaRule | undefined {
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (rule instanceof CSSMediaRule && rule.conditionText.includes("prefers-color-scheme")) {
        return rule;
      }
    }
  }
  return undefined;
}
